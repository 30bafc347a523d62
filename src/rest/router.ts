/**
 * Finds the route of a method and path. A pattern is a path whose segments may be `:name`; `:id` matches positive
 * integers only, so that `/monitors/abc` is an unknown path and not an invalid number.
 *
 * @module
 */

export interface RoutePattern {
  readonly method: string
  readonly path: string
}

export type Match<R> =
  | { readonly kind: 'found'; readonly route: R; readonly params: Params }
  /** The path exists, the method does not. */
  | { readonly kind: 'method'; readonly allow: readonly string[] }
  | { readonly kind: 'none' }

export type Params = Readonly<Record<string, string>>

export interface Router<R> {
  match(method: string, pathname: string): Match<R>
}

/** `HEAD` is served by the route of `GET`; one trailing slash is ignored. */
export function createRouter<R extends RoutePattern>(routes: readonly R[]): Router<R> {
  const compiled = routes.map((route) => ({ route, segments: route.path.split('/') }))
  return {
    match(method, pathname) {
      const given = pathname.replace(/(?<=[^/])\/$/, '').split('/')
      const wanted = method === 'HEAD' ? 'GET' : method
      const allow: string[] = []
      for (const { route, segments } of compiled) {
        const params = paramsOf(segments, given)
        if (params === undefined) continue
        if (route.method === wanted) return { kind: 'found', route, params }
        allow.push(...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]))
      }
      return allow.length === 0 ? { kind: 'none' } : { kind: 'method', allow: [...new Set(allow)] }
    },
  }
}

/** The positive safe integer in `text`, in canonical form only. */
export function positiveInteger(text: string): number | undefined {
  if (!/^[1-9]\d{0,15}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}

function paramsOf(segments: readonly string[], given: readonly string[]): Params | undefined {
  if (segments.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of segments.entries()) {
    const text = given[index] ?? ''
    if (!segment.startsWith(':')) {
      if (segment !== text) return undefined
      continue
    }
    const value = decoded(text)
    if (value === undefined || value === '') return undefined
    if (segment === ':id' && positiveInteger(value) === undefined) return undefined
    params[segment.slice(1)] = value
  }
  return params
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
