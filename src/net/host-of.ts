/**
 * The host of a target, for the limit of checks per host. Reads the target formats of checkers: a
 * URL, `host:port`, a bare name.
 *
 * @module
 */

export function hostOf(target: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?(\[[^\]]*\]|[^/:?#]*)/i.exec(target)
  if (url?.[1] !== undefined) return url[1].toLowerCase()
  const bare = /^(\[[^\]]*\]|[^:/\s]+)(?::\d+)?/.exec(target)
  return (bare?.[1] ?? target).toLowerCase()
}
