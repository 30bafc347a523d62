/** Where the peers are on this machine, and how those that are missing get there. */

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { ServerNeed } from '../../test/support/servers/binaries.ts'
import { findBinary } from '../../test/support/servers/binaries.ts'

/** Debian; openSUSE and Arch; Fedora. */
const PLUGIN_FOLDERS = [
  '/usr/lib/nagios/plugins',
  '/usr/lib/monitoring-plugins',
  '/usr/lib64/nagios/plugins',
]

const EXPORTER = 'prometheus-blackbox-exporter'

const DIG = 'check_dig'

export const exporter: ServerNeed = {
  name: 'blackbox_exporter',
  packages: EXPORTER,
  locate: () => findBinary([EXPORTER, 'blackbox_exporter']),
}

export const plugins: ServerNeed = {
  name: 'monitoring-plugins',
  packages: 'monitoring-plugins-basic',
  locate: () => plugin('check_http'),
}

export const digPlugin: ServerNeed = {
  name: DIG,
  packages: 'monitoring-plugins-standard bind9-dnsutils',
  locate: () => plugin(DIG),
}

export const peers: readonly ServerNeed[] = [exporter, plugins, digPlugin]

/** Path of one of the plugins, where it can do its work. */
export function plugin(name: string): string | undefined {
  // It leaves the question itself to a program.
  if (name === DIG && findBinary(['dig']) === undefined) return undefined
  return findBinary([name], PLUGIN_FOLDERS)
}

/** With apt-get as root; without effect elsewhere. What is still missing afterwards is for the caller to see. */
export function install(missing: readonly ServerNeed[]): void {
  const apt = findBinary(['apt-get'])
  if (missing.length === 0 || apt === undefined || process.getuid?.() !== 0) return
  const packages = missing.flatMap((need) => need.packages.split(' '))
  const quietly = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const args = ['install', '-y', '--no-install-recommends', ...packages]
  spawnSync(apt, args, { stdio: 'inherit', env: quietly })
  // Debian starts it at once, on all addresses: nobody who measures has asked for that.
  if (missing.includes(exporter) && existsSync('/run/systemd/system')) {
    spawnSync('systemctl', ['disable', '--now', EXPORTER], { stdio: 'inherit' })
  }
}
