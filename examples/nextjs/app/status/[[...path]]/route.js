/** The status page of watchpost as a route handler of the App Router. */

import { watchpost } from '../../../watchpost.js'

// The engine needs sockets and files, which the edge has not.
export const runtime = 'nodejs'
export const dynamic = 'force-dynamic'

/** @param {Request} request */
async function answer(request) {
  const { page } = await watchpost()
  return page.fetch(request)
}

export { answer as GET, answer as POST }
