/** The app that is bundled. */

/** Checks every type with a driver against a closed port; what comes of it is the fault of the port. */
export const APP = `import { createEngine, runCheck } from 'watchpost'
import { builtinCheckers } from 'watchpost/checkers'
import { sqliteStore } from 'watchpost/store/sqlite'

async function main() {
  const engine = createEngine({ store: sqliteStore({ file: process.env.DATA }), checkers: builtinCheckers() })
  await engine.start()
  const said = {}
  for (const checker of builtinCheckers().filter(({ driver }) => driver !== undefined)) {
    const settings = { host: '127.0.0.1', port: 1, user: 'u', pass: 'p' }
    if (!('user' in checker.fields)) { delete settings.user; delete settings.pass }
    const created = await engine.monitors.create({ type: checker.type, ...settings, interval_sec: 3600 })
    const { cause_text } = await runCheck(checker, settings)
    said[checker.type] = created.type === checker.type ? cause_text : 'lost'
  }
  await engine.stop()
  console.log(JSON.stringify(said))
}
main().catch((error) => { console.error(error); process.exitCode = 1 })
`
/** What it says. */
export const REFUSED = Object.fromEntries(
  ['smtp', 'imap', 'ftp', 'mysql', 'postgres'].map((type) => [
    type,
    '127.0.0.1:1 refused the connection',
  ]),
)
