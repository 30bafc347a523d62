/**
 * A Dockerfile, read as far as ours goes, and built by hand: each stage in a chroot of its own above the file system of
 * this machine, which stands for the base image and keeps no trace of it.
 *
 * @module
 */

import { spawnSync } from 'node:child_process'

export interface Instruction {
  readonly name: string
  readonly text: string
}

export interface Stage {
  readonly image: string
  readonly name: string | undefined
  readonly instructions: readonly Instruction[]
}

export function readDockerfile(text: string): Stage[] {
  const lines = text
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  const stages: { image: string; name: string | undefined; instructions: Instruction[] }[] = []
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    const [, image = '', alias] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []
    if (name === 'FROM') stages.push({ image, name: alias, instructions: [] })
    else if (name === '' || stages.length === 0) throw new Error(`This is no instruction: ${line}`)
    else stages.at(-1)?.instructions.push({ name, text: rest })
  }
  return stages
}

/** The texts of all instructions of a name. */
export function textsOf(stage: Stage | undefined, name: string): string[] {
  return (stage?.instructions ?? []).filter((each) => each.name === name).map(({ text }) => text)
}

/** `ENV A=1 B=2`. */
export function environmentOf(stage: Stage | undefined): Record<string, string> {
  const pairs = textsOf(stage, 'ENV').flatMap((text) => text.split(/\s+/))
  return Object.fromEntries(
    pairs.map((pair) => pair.split(/=(.*)/s).slice(0, 2) as [string, string]),
  )
}

/** The form of a command without a shell. */
export function wordsOf(text: string | undefined): string[] {
  return JSON.parse(text ?? '[]') as string[]
}

/** Why it cannot be built here, `undefined` where it can. */
export function cannotBuild(): string | undefined {
  const attempt = [
    'mount -t tmpfs tmpfs /mnt',
    'mkdir /mnt/u /mnt/w /mnt/r',
    overlay('/mnt', 'u w r'),
  ]
  const { status, error } = spawnSync('unshare', ['-m', 'sh', '-ec', attempt.join('\n')])
  if (error !== undefined) return 'unshare of util-linux is not installed'
  return status === 0 ? undefined : 'no overlay of the file system can be mounted here'
}

export interface Building {
  readonly stages: readonly Stage[]
  /** The folder that is sent to the builder. */
  readonly context: string
  /** An empty folder. */
  readonly place: string
  /** In the environment of RUN. */
  readonly env: Readonly<Record<string, string>>
  /** RUN lines that are not carried out. */
  skips(run: string): boolean
  /** Run in the last stage as its user, in its folder and with its variables; replaces the shell. */
  readonly command: readonly string[]
  readonly variables: Readonly<Record<string, string>>
}

/** A script for `unshare -m sh -e`. */
export function buildScript({ stages, place, command, variables, ...building }: Building): string {
  const folders = new Map(stages.map(({ name }, index) => [name, `${place}/${index}/root`]))
  const last = stages.at(-1)
  const root = `${place}/${stages.length - 1}/root`
  const env = { ...environmentOf(last), ...variables }
  const assignments = Object.entries(env).map(([name, value]) => quote(`${name}=${value}`))
  const words = [`PATH=${quote(process.env['PATH'] ?? '')}`, ...assignments, ...command.map(quote)]
  const [user = 'root'] = textsOf(last, 'USER')
  return [
    `mount -t tmpfs tmpfs ${quote(place)}`,
    ...stages.flatMap((stage, index) => [
      ...base(`${place}/${index}`),
      ...stepsOf(stage, `${place}/${index}/root`, { ...building, folders }),
    ]),
    `exec chroot --userspec=${user}:${user} ${quote(root)} sh -ec ${quote(
      `cd ${textsOf(last, 'WORKDIR').at(-1) ?? '/'}\nexec env -i ${words.join(' ')}`,
    )}`,
  ].join('\n')
}

/** What the official images of Node have: the user `node`, and no /app or /data. */
function base(place: string): string[] {
  return [
    `mkdir -p ${place}/upper ${place}/work ${place}/root`,
    overlay(place, 'upper work root'),
    `mount --rbind /proc ${place}/root/proc`,
    `mount --rbind /dev ${place}/root/dev`,
    `rm -rf ${place}/root/app ${place}/root/data`,
    `mount -t tmpfs -o mode=1777 tmpfs ${place}/root/tmp`,
    `sed -i '/^node:/d' ${place}/root/etc/passwd ${place}/root/etc/group`,
    `echo 'node:x:1000:1000::/tmp:/bin/sh' >> ${place}/root/etc/passwd`,
    `echo 'node:x:1000:' >> ${place}/root/etc/group`,
  ]
}

function overlay(place: string, folders: string): string {
  const [upper, work, root] = folders.split(' ')
  const options = `lowerdir=/,upperdir=${place}/${upper},workdir=${place}/${work}`
  return `mount -t overlay overlay -o ${options} ${place}/${root}`
}

type Steps = Pick<Building, 'context' | 'env' | 'skips'> & {
  readonly folders: ReadonlyMap<string | undefined, string>
}

function stepsOf({ instructions }: Stage, root: string, { folders, ...building }: Steps): string[] {
  let folder = '/'
  return instructions.flatMap(({ name, text }) => {
    if (name === 'WORKDIR') {
      folder = text
      return [`mkdir -p ${root}${folder}`]
    }
    if (name === 'COPY') {
      const words = text.split(/\s+/)
      const stage = /^--from=(.+)$/.exec(words[0] ?? '')?.[1]
      const source = stage === undefined ? building.context : (folders.get(stage) ?? '')
      const [to = '', ...from] = words.slice(stage === undefined ? 0 : 1).reverse()
      // Of a folder its content; a pattern may match nothing, which a name without one may not.
      const paths = from.map((path) => `${source}/${path.replace(/^\//, '')}`)
      const target = `${root}${folder}/${to}`
      return stage === undefined
        ? paths.map((path) =>
            path.includes('*')
              ? `for f in ${path}; do if [ -e "$f" ]; then cp "$f" ${target}; fi; done`
              : `if [ -d ${path} ]; then cp -a ${path}/. ${target}; else cp ${path} ${target}; fi`,
          )
        : paths.map((path) => `cp -a ${path}/. ${target}`)
    }
    if (name !== 'RUN' || building.skips(text)) return []
    const env = Object.entries(building.env).map(([key, value]) => quote(`${key}=${value}`))
    const run = `cd ${folder}\n${text}`
    return [`env ${env.join(' ')} chroot ${root} sh -ec ${quote(run)} >&2`]
  })
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
