/** Next.js calls this once when its server starts: the checks begin then, not with the first request. */

export async function register() {
  // As a condition around the import, so that the build for the edge leaves the engine out.
  if (process.env['NEXT_RUNTIME'] !== 'edge') {
    const { watchpost } = await import('./watchpost.js')
    await watchpost()
  }
}
