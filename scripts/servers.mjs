/**
 * The real servers behind the tests: where their programs are, and how Debian and Ubuntu call the
 * packages. Nothing is ever started as a service; every test starts a private instance of its own.
 */

import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from './steps.mjs'

/**
 * @typedef {object} Server
 * @property {string} program
 * @property {string} [file] shows that it is installed, where it is a library of the program
 * @property {readonly string[]} packages of Debian 12
 * @property {readonly string[]} [elsewhere] the packages of releases that do not know those
 */

/** @type {readonly Server[]} */
export const servers = [
  { program: 'nginx', packages: ['nginx-light'], elsewhere: ['nginx'] },
  {
    program: 'mariadbd',
    packages: ['mariadb-server-core', 'mariadb-client-core'],
    elsewhere: ['mariadb-server'],
  },
  { program: 'postgres', packages: ['postgresql-15'], elsewhere: ['postgresql'] },
  { program: 'dovecot', packages: ['dovecot-imapd', 'dovecot-pop3d'] },
  { program: 'exim4', packages: ['exim4-daemon-light'] },
  {
    program: 'proftpd',
    packages: ['proftpd-core', 'proftpd-mod-crypto'],
    elsewhere: ['proftpd-basic'],
  },
  { program: 'named', packages: ['bind9'] },
  { program: 'rbldnsd', packages: ['rbldnsd'] },
  { program: 'squid', packages: ['squid'] },
  { program: 'danted', packages: ['dante-server'] },
  { program: 'microsocks', packages: ['microsocks'] },
  { program: 'redis-server', packages: ['redis-server'] },
  {
    program: 'python3',
    file: '/usr/lib/python3/dist-packages/websockets/__init__.py',
    packages: ['python3-websockets'],
  },
  {
    program: 'python3',
    file: '/usr/lib/python3/dist-packages/grpc/__init__.py',
    packages: ['python3-grpcio'],
  },
  { program: 'ping', packages: ['iputils-ping'] },
  { program: 'openssl', packages: ['openssl'] },
  // Not servers: a browser for the page, faults from outside, network namespaces,
  // a reader of metrics, one of units, shells to complete in, the languages of the recipes.
  { program: 'chromium', packages: ['chromium'], elsewhere: ['chromium-browser'] },
  { program: 'strace', packages: ['strace'] },
  { program: 'faketime', packages: ['faketime'] },
  { program: 'ip', packages: ['iproute2'] },
  { program: 'promtool', packages: ['prometheus'] },
  { program: 'systemd-analyze', packages: ['systemd'] },
  { program: 'zsh', packages: ['zsh'] },
  { program: 'fish', packages: ['fish'] },
  { program: 'python3', packages: ['python3-minimal'] },
  { program: 'php', packages: ['php-cli'] },
]

/**
 * Path of a program, also where a plain user's PATH lacks sbin and where PostgreSQL keeps its own.
 *
 * @param {string} program
 */
export function find(program) {
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/local/sbin',
    '/usr/sbin',
    '/sbin',
    '/usr/local/bin',
    '/usr/bin',
    ...postgresFolders(),
  ]
  return folders.map((folder) => join(folder, program)).find(isProgram)
}

/**
 * Path of its file or program, `undefined` where it is not installed.
 *
 * @param {Server} server
 */
export function locate({ program, file }) {
  if (file === undefined) return find(program)
  return existsSync(file) ? file : undefined
}

export function missing() {
  return servers.filter((server) => locate(server) === undefined)
}

/** Why nothing can be installed here, or `undefined` where it can. */
export function cannotInstall() {
  if (process.getuid?.() !== 0) return 'only root can install packages'
  const release = existsSync('/etc/os-release') ? readFileSync('/etc/os-release', 'utf8') : ''
  if (!/^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release))
    return 'this is neither Debian nor Ubuntu'
  return find('apt-get') === undefined ? 'there is no apt-get' : undefined
}

/**
 * Installs what is missing with one apt line; where that fails (a release that lacks one of the
 * names), server by server, so that one unknown name does not cost the others.
 *
 * @param {readonly Server[]} wanted
 */
export async function install(wanted) {
  await withoutServices(async () => {
    await apt(['update', '-qq'])
    if ((await apt(installing(wanted.flatMap(({ packages }) => packages)))) === 0) return
    for (const server of wanted) await installOne(server)
  })
}

/** @param {Server} server */
async function installOne(server) {
  const { packages, elsewhere } = server
  if (locate(server) !== undefined) return
  if ((await apt(installing(packages))) === 0 || elsewhere === undefined) return
  await apt(installing(elsewhere))
}

/** @param {readonly string[]} packages */
function installing(packages) {
  // --no-remove: a mail or FTP server that somebody uses here is not thrown out for ours.
  return ['install', '-y', '-qq', '--no-install-recommends', '--no-remove', ...packages]
}

/** @param {readonly string[]} args */
function apt(args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_SUSPEND: '1' }
  return run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], { env, quiet: true })
}

const policy = '/usr/sbin/policy-rc.d'
const refusal =
  '#!/bin/sh\n# Written by the test set-up of watchpost while it installs packages.\nexit 101\n'

/**
 * Keeps packages from starting their services: Debian asks this file (exit 101: not allowed). One that
 * is there already stays as it is.
 *
 * @param {() => Promise<void>} work
 */
async function withoutServices(work) {
  const foreign = existsSync(policy) && readFileSync(policy, 'utf8') !== refusal
  if (foreign) return work()
  const remove = () => rmSync(policy, { force: true })
  process.on('exit', remove)
  try {
    writeFileSync(policy, refusal, { mode: 0o755 })
    await work()
  } finally {
    remove()
    process.off('exit', remove)
  }
}

function postgresFolders() {
  const parent = '/usr/lib/postgresql'
  if (!existsSync(parent)) return []
  return readdirSync(parent)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(parent, version, 'bin'))
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
