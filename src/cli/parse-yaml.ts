/**
 * YAML whose cost is in proportion to its size. Aliases are measured before they are followed: a few bytes can stand
 * for gigabytes, and the package compares each alias with all anchors and aliases before it. It also compares each
 * key of a map with all others, which is done here.
 *
 * @module
 */

import type { Alias, Node, Pair, YAMLMap } from 'yaml'

/** Anchors and aliases of a file. */
const MARKS = 2000
/** What all aliases together may repeat: the characters of keys and values, and one for each of them. */
const REPEATED = 1024 * 1024

type Yaml = typeof import('yaml')

/** A document that is refused here. The message quotes nothing of it. */
export class YamlError extends Error {}

/** @throws YamlError, or what the package throws, which quotes the text */
export function parseYaml(yaml: Yaml, text: string): unknown {
  const document = yaml.parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  const [error] = document.errors
  if (error !== undefined) throw error
  if (document.contents !== null) requireBounded(yaml, document.contents)
  // The limit of the package counts the uses of an anchor, however small it is.
  return document.toJS({ maxAliasCount: -1 })
}

/** @throws YamlError */
function requireBounded(yaml: Yaml, contents: Node): void {
  const { isAlias, isCollection, isMap, isPair, isScalar } = yaml
  /** The sizes of the anchors so far, with what their aliases repeat; of those that are not over, `undefined`. */
  const anchors = new Map<string, number | undefined>()
  let marks = 0
  let repeated = 0

  function mark(): void {
    marks += 1
    if (marks > MARKS) throw new YamlError(`it has more than ${MARKS} anchors and aliases`)
  }

  function sizeOfAlias({ source }: Alias): number {
    mark()
    // One without an anchor is refused by the package.
    if (!anchors.has(source)) return 1
    const size = anchors.get(source)
    if (size === undefined) throw new YamlError('an alias stands inside of itself')
    repeated += size
    if (repeated > REPEATED) {
      throw new YamlError(`its aliases repeat more than ${REPEATED} characters`)
    }
    return size
  }

  function sizeOf(node: unknown): number {
    if (isAlias(node)) return sizeOfAlias(node)
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value)
    if (!isScalar(node) && !isCollection(node)) return 1
    const { anchor } = node
    if (anchor !== undefined) {
      mark()
      anchors.set(anchor, undefined)
    }
    if (isMap(node)) requireUniqueKeys(yaml, node)
    let size = 1
    if (isScalar(node)) size += (node.source ?? '').length
    else for (const item of node.items as readonly (Node | Pair)[]) size += sizeOf(item)
    if (anchor !== undefined) anchors.set(anchor, size)
    return size
  }

  sizeOf(contents)
}

/** @throws YamlError */
function requireUniqueKeys({ isScalar }: Yaml, { items }: YAMLMap): void {
  const keys = new Set<unknown>()
  for (const { key } of items) {
    const value: unknown = isScalar(key) ? key.value : key
    if (keys.has(value)) throw new YamlError('a map has the same key twice')
    keys.add(value)
  }
}
