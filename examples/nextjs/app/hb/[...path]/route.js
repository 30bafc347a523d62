/** Heartbeats: the addresses that jobs of yours call. */

import { watchpost } from '../../../watchpost.js'

export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** @param {Request} request */
async function answer(request) {
  const { rest } = await watchpost()
  return rest.fetch(request)
}

export { answer as GET, answer as POST }
