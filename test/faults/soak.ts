/**
 * F18: an engine at twelve times the pace, for hours of its own time, with one trouble a minute of real time.
 * Options: --minutes 120, --factor 12, --seed 1, --every 60 (seconds), --kill-every 10 (each so manieth trouble).
 * On Linux as root it takes a network, a disk and a name server of its own, which then fail as well.
 *
 * @module
 */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startNameServer } from './machine/children/name-server.ts'
import { inFolder } from './rig/folder.ts'
import { buildPrograms } from './rig/programs.ts'
import { runSoak } from './rig/soak.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '120' },
    factor: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    every: { type: 'string', default: '60' },
    'kill-every': { type: 'string', default: '10' },
    /** Set by itself: its own disk, in namespaces of its own. */
    disk: { type: 'string' },
  },
})

/** A loopback, a disk and a resolver that nobody else has. */
function machineAt(disk: string, resolv: string): string {
  return (
    `ip link set lo up && mount -t tmpfs -o size=128m tmpfs '${disk}'` +
    ` && mount --bind '${resolv}' /etc/resolv.conf`
  )
}

/** The same again in namespaces of its own; `undefined` where there are none to be had. */
async function inOwnMachine(): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-soak-machine-'))
  const disk = join(folder, 'disk')
  const resolv = join(folder, 'resolv.conf')
  mkdirSync(disk)
  writeFileSync(resolv, 'nameserver 127.0.0.1\n')
  const prepare = machineAt(disk, resolv)
  try {
    const tried = spawnSync('unshare', ['-n', '-m', 'sh', '-c', prepare], { encoding: 'utf8' })
    if (tried.status !== 0) {
      console.log(`Without a machine of its own: ${tried.error?.message ?? tried.stderr}`)
      return undefined
    }
    const [script = '', ...options] = process.argv.slice(1)
    const again = [process.execPath, script, ...options, '--disk', disk]
    const child = spawn(
      'unshare',
      ['-n', '-m', 'sh', '-c', `${prepare} && exec "$@"`, 'sh', ...again],
      {
        stdio: 'inherit',
      },
    )
    const [code] = (await once(child, 'exit')) as [number | null]
    return code ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function soak(): Promise<void> {
  const { disk } = values
  const programs = await buildPrograms()
  const machine = disk === undefined ? {} : { machine: { disk, names: await startNameServer() } }
  console.log(`seed ${values.seed}, ${values.minutes} minutes at ${values.factor} times the pace`)
  await inFolder('soak', async (folder) => {
    const { lives, ...figures } = await runSoak({
      ...{ programs, folder, ...machine },
      minutes: Number(values.minutes),
      factor: Number(values.factor),
      seed: Number(values.seed),
      every_ms: Number(values.every) * 1000,
      kill_every: Number(values['kill-every']),
      onTrouble: (line) => console.log(`${line}; load ${loadavg()[0]?.toFixed(1)}`),
    })
    console.log(figures)
    console.table(lives)
    return figures.problems.length === 0
  })
  programs.remove()
}

const code = values.disk === undefined ? await inOwnMachine() : undefined
if (code === undefined) await soak()
process.exit(code ?? process.exitCode ?? 0)
