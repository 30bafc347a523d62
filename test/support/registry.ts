/**
 * A registry of npm on 127.0.0.1: the packages that are installed here, and tarballs beside them. What `npm install`
 * does with it, it does with any registry, without a network.
 *
 * @module
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { root } from '../../scripts/steps.mjs'

export interface Registry {
  readonly url: string
  close(): Promise<void>
}

/** A package that is not installed here but packed. */
export interface Packed {
  readonly manifest: Manifest
  readonly tarball: string
}

interface Manifest {
  readonly name: string
  readonly version: string
}

/** Where a version is: a folder, or a tarball. */
type Source = { readonly folder: string } | { readonly tarball: string }
type Version = Source & { readonly manifest: Manifest }

export async function startRegistry(packed: readonly Packed[] = []): Promise<Registry> {
  const known = new Map<string, Map<string, Version>>()
  const add = (version: Version): void => {
    const { name, version: number } = version.manifest
    known.set(name, (known.get(name) ?? new Map<string, Version>()).set(number, version))
  }
  for (const version of installedIn(join(root, 'node_modules'))) add(version)
  packed.forEach(add)

  const server = createServer((req, res) => {
    const [, name = '', file] = decodeURIComponent(req.url ?? '')
      .slice(1)
      .match(/^((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+)\.tgz)?$/) ?? ['', '']
    const versions = known.get(name)
    const version = file === undefined ? undefined : versions?.get(file)
    if (version !== undefined) sendTarball(version, res)
    else if (versions !== undefined && file === undefined) {
      res.setHeader('Content-Type', 'application/json')
      res.end(JSON.stringify(documentOf(name, [...versions.values()], url())))
    } else res.writeHead(404, { 'Content-Type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: url(),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Folders of packages, those of other versions inside of packages included. */
function* installedIn(folder: string): Generator<Version> {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const place = join(folder, name)
    if (name.startsWith('@')) yield* installedIn(place)
    if (name.startsWith('.') || !existsSync(join(place, 'package.json'))) continue
    const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')) as Manifest
    yield { folder: place, manifest }
    yield* installedIn(join(place, 'node_modules'))
  }
}

function documentOf(name: string, versions: readonly Version[], url: string): object {
  const numbers = versions.map(({ manifest }) => manifest.version)
  return {
    name,
    'dist-tags': { latest: numbers.toSorted(byNumber).at(-1) },
    versions: Object.fromEntries(
      versions.map(({ manifest }) => {
        const tarball = `${url}/${name}/-/${manifest.version}.tgz`
        return [manifest.version, { ...manifest, dist: { tarball } }]
      }),
    ),
  }
}

const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })

function sendTarball(version: Version, res: ServerResponse): void {
  if ('tarball' in version) {
    createReadStream(version.tarball).pipe(res)
    return
  }
  const exclude = ['--exclude=./node_modules', '--transform=s,^\\.,package,']
  const tar = spawn('tar', ['-czf', '-', ...exclude, '-C', version.folder, '.'])
  tar.stdout.pipe(res)
}
