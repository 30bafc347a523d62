import { describe, expect, it } from 'vitest'
import { locate, servers } from '../../scripts/servers.mjs'

describe('real servers', () => {
  it.for(servers)('$packages is installed', (server, { skip }) => {
    const { program, packages } = server
    const path = locate(server)
    const required = process.env['REQUIRE_SERVERS'] === '1'
    if (path === undefined && !required)
      skip(`${program} is missing: apt install ${packages.join(' ')}`)
    expect(path, `apt install ${packages.join(' ')}`).toBeDefined()
  })
})
