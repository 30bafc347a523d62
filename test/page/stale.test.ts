import { expect, it, onTestFinished } from 'vitest'
import { doors } from '../engine/doors.ts'
import { site } from './visit.ts'

const MINUTE_MS = 60_000

/** Two services, of which one is not looked at any more. */
async function halfSeen() {
  let places: ReturnType<typeof doors> | undefined
  const made = await site(
    { public: [{ slug: 'all', title: 'All', monitors: [1, 2] }] },
    { probes: (clock) => (places = doors(clock)).transport },
  )
  onTestFinished(() => made.engine.stop({ drainMs: 0 }))
  const visit = made.visitor()
  await visit.signIn()
  const id = await made.create('shop.test', { interval_sec: 60 })
  await made.create('blog.test', { interval_sec: 3600 })
  await made.clock.advance(5 * MINUTE_MS)
  return { ...made, visit, id, places }
}

it('a monitor that nobody looks at is shown as healthy nowhere', async () => {
  const { visit, clock, places, id } = await halfSeen()
  const headline = async (path: string) =>
    /id="(?:summary|state)"[^]*?<\/div>/.exec(await visit.text(path))?.[0] ?? ''
  const row = async () => /<li id="m1"[^]*?<dl/.exec(await visit.text('/'))?.[0] ?? ''
  expect(await headline('/')).toContain('All 2 monitors are up')
  expect(await headline('/status/all')).toContain('All services are operational')
  expect(await row()).toContain('class="state good"')

  places?.close()
  await clock.advance(5 * MINUTE_MS)
  expect(await headline('/')).toContain('1 of 2 monitors is up')
  expect(await headline('/')).toContain('1 unknown')
  expect(await headline('/')).not.toContain('icon good')
  expect(await row()).toContain('class="state warn"')
  expect(await row()).toContain('Unknown')
  // One sentence, whose words are no items of a row.
  expect(await row()).toMatch(
    /target">\s*<span\s*>Last checked <time[^>]*>[^<]*<\/time>; it was up<\/span/,
  )
  const state = await headline(`/monitors/${id}`)
  expect(state).toContain('<strong>Unknown</strong>: no check for a while; it was up before')
  expect(state).not.toContain('good')
  const banner = await headline('/status/all')
  expect(banner).toContain('Some services could not be checked recently')
  expect(banner).toContain('class="banner warn"')
  expect(await visit.text('/status/all')).toContain('Unknown</span>')

  places?.open()
  await clock.advance(5 * MINUTE_MS)
  expect(await headline('/status/all')).toContain('All services are operational')
  expect(await row()).toContain('class="state good"')
})

it('what is down is said before what nobody looks at', async () => {
  const { visit, clock, places, failing } = await halfSeen()
  failing.set('shop.test', 'Gone')
  await clock.advance(10 * MINUTE_MS)
  places?.close()
  await clock.advance(3 * 60 * MINUTE_MS)
  expect(await visit.text('/')).toContain('1 of 2 monitors is down')
  expect(await visit.text('/status/all')).toContain('Some services are disrupted')
  expect(await visit.text('/status/all')).toContain('Unknown</span>')
})
