import { describe, expect, it } from 'vitest'
import { find, servers } from '../../scripts/servers.mjs'

describe('real servers', () => {
  it.for(servers)('$program is installed', ({ program, packages }, { skip }) => {
    const path = find(program)
    const required = process.env['REQUIRE_SERVERS'] === '1'
    if (path === undefined && !required)
      skip(`${program} is missing: apt install ${packages.join(' ')}`)
    expect(path, `apt install ${packages.join(' ')}`).toBeDefined()
  })
})
