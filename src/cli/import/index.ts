/**
 * `watchpost import`: a list of monitors out of what another monitor is configured with.
 *
 * @module
 */

import { ConfigurationError } from '../../errors.ts'
import { fromBlackbox } from '../../importers/blackbox/index.ts'
import { fromGatus } from '../../importers/gatus/index.ts'
import type { Imported } from '../../importers/imported.ts'
import { fromKuma } from '../../importers/kuma/index.ts'
import { EXIT, textFlag } from '../command.ts'
import type { Call, Command } from '../command.ts'
import { readJson, readYaml } from '../read-file.ts'
import { printError, sayJson } from '../terminal.ts'

export const command: Command = {
  help: `watchpost import kuma|gatus|blackbox <file>

Writes a list of monitors for "watchpost apply" to stdout. What could not be carried over is told on
stderr, and stands in the file as not_carried_over; look through it before you apply.

  watchpost import kuma Uptime_Kuma_Backup.json > monitors.json
  watchpost import gatus config.yaml > monitors.json
  watchpost import blackbox blackbox.yml --prometheus prometheus.yml > monitors.json

  --prometheus     Configuration of Prometheus, which has the targets of blackbox_exporter

The file holds whatever passwords the other one held. YAML needs the optional package "yaml".
Exit code: 0 written, also where something could not be carried over; 1 it could not be done, 64 a file
that cannot be read, or wrong usage.`,
  options: { prometheus: { type: 'string' } },
  words: () => ({
    known: Object.fromEntries(Object.keys(IMPORTERS).map((name) => [name, []])),
    files: true,
  }),
  run,
}

type Importer = (path: string, prometheus: string | undefined) => Promise<Imported>

const IMPORTERS: Readonly<Record<string, Importer>> = {
  kuma: async (path) => fromKuma(await readJson(path)),
  gatus: async (path) => fromGatus(await readYaml(path)),
  blackbox: async (path, prometheus) =>
    fromBlackbox({
      blackbox: await readYaml(path),
      ...(prometheus === undefined ? {} : { prometheus: await readYaml(prometheus) }),
    }),
}

async function run({ flags, words }: Call): Promise<number> {
  const [name = '', path, stranger] = words
  const importer = Object.hasOwn(IMPORTERS, name) ? IMPORTERS[name] : undefined
  if (importer === undefined || path === undefined || stranger !== undefined) {
    const names = Object.keys(IMPORTERS).join(', ')
    throw new ConfigurationError(`import takes one of ${names}, and a file (see --help)`)
  }
  const prometheus = textFlag(flags, 'prometheus')
  if (prometheus !== undefined && name !== 'blackbox') {
    throw new ConfigurationError('--prometheus goes with blackbox (see --help)')
  }
  const { monitors, not_carried_over } = await importer(path, prometheus)
  for (const { of, what } of not_carried_over) printError(`${of}: ${what}`)
  printError(`${monitors.length} monitors, ${not_carried_over.length} notes`)
  sayJson({ monitors, not_carried_over }, 2)
  return EXIT.ok
}
