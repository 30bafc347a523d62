import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentVariables } from '../../scripts/docs/source-facts.ts'
import { find } from '../../scripts/servers.mjs'
import { root } from '../../scripts/steps.mjs'
import { folder } from '../support/command-line.ts'
import { describeWithServer } from '../support/servers/need.ts'

const text = readFileSync(join(root, 'deploy/watchpost.service'), 'utf8')
const directives = [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
  name,
  value,
])
const valuesOf = (name: string): (string | undefined)[] =>
  directives.filter(([each]) => each === name).map(([, value]) => value)

/** Its Node is where that of this machine is. */
function unit(): string {
  const file = join(folder(), 'watchpost.service')
  writeFileSync(file, text.replace('/usr/bin/node', process.execPath))
  return file
}

function analyze(...args: readonly string[]): { readonly status: number | null; said: string } {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['--no-pager', ...args], {
    encoding: 'utf8',
  })
  return { status, said: stdout + stderr }
}

describe('the systemd unit', () => {
  it('stores its data in the one folder that it may write to', () => {
    expect(valuesOf('ExecStart')).toEqual([
      '/usr/bin/node /opt/watchpost/node_modules/watchpost/dist/cli.js serve',
    ])
    const [state = ''] = valuesOf('StateDirectory')
    const environment = valuesOf('Environment').map((each) => each?.split('=') ?? [])
    expect(new Map(environment as [string, string][]).get('WATCHPOST_DATA')).toBe(
      `/var/lib/${state}/watchpost.db`,
    )
    const names = environment.map(([name = '']) => name).filter((name) => name !== 'NODE_ENV')
    expect(names.filter((name) => !environmentVariables().includes(name))).toEqual([])
    expect(valuesOf('ProtectSystem')).toEqual(['strict'])
    expect(valuesOf('ReadWritePaths')).toEqual([])
  })

  it('runs as a user of its own, with the one capability that ping needs', () => {
    expect(valuesOf('DynamicUser')).toEqual(['yes'])
    expect(valuesOf('NoNewPrivileges')).toEqual(['yes'])
    expect(valuesOf('CapabilityBoundingSet')).toEqual(['CAP_NET_RAW'])
    expect(valuesOf('AmbientCapabilities')).toEqual(['CAP_NET_RAW'])
    // Machine code is made at run time.
    expect(valuesOf('MemoryDenyWriteExecute')).toEqual([])
  })

  it('gives running checks their time to end', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(11)
  })
})

const analyzeNeed = {
  name: 'systemd-analyze',
  packages: 'systemd',
  locate: () => find('systemd-analyze'),
}

describeWithServer(analyzeNeed, 'systemd-analyze', () => {
  it('finds no mistake in the unit', () => {
    expect(analyze('verify', '--man=no', unit())).toEqual({ status: 0, said: '' })
  })

  it('rates the unit below 2 of 10', () => {
    const { status, said } = analyze('security', '--offline=true', '--threshold=20', unit())
    expect({ status, said: status === 0 ? '' : said }).toEqual({ status: 0, said: '' })
  })
})
