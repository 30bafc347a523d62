/** Next.js calls this once when its server starts: the checks begin then, not with the first request. */

export async function register() {
  if (process.env['NEXT_RUNTIME'] === 'edge') return
  const { watchpost } = await import('./watchpost.js')
  await watchpost()
}
