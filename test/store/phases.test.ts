import { describe, expect, it } from 'vitest'
import { packPhases, unpackPhases } from '../../src/store/phases.ts'

describe('the phases of a result in a column', () => {
  it.each([
    [{}, null],
    [{ resolve_ms: 12.5 }, '12.5'],
    [{ connect_ms: 0, resolve_ms: 12.5 }, '12.5,0'],
    [
      { resolve_ms: 12.5, connect_ms: 3, starttls_ms: 1, handshake_ms: 4 },
      '12.5,3,,1;handshake_ms=4',
    ],
    [{ transfer_ms: 7 }, ',,,,,,,,,7'],
    [{ handshake_ms: 4, warmup_ms: 5 }, ';handshake_ms=4;warmup_ms=5'],
    [{ 'a;b=c,d e_ms': 1 }, ';a%3Bb%3Dc%2Cd%20e_ms=1'],
  ])('%j are %j, and are read from it', (phases, packed) => {
    expect(packPhases(phases)).toBe(packed)
    expect(unpackPhases(packed)).toEqual(phases)
  })

  it('are all of the built-in ones, each in its place', () => {
    const names = 'resolve connect tls starttls greeting send auth query first_byte transfer'
    const phases = Object.fromEntries(names.split(' ').map((name, at) => [`${name}_ms`, at + 1]))
    expect(packPhases(phases)).toBe('1,2,3,4,5,6,7,8,9,10')
    expect(unpackPhases('1,2,3,4,5,6,7,8,9,10')).toEqual(phases)
  })

  it('of a later version are left out', () => {
    expect(unpackPhases('1,2,3,4,5,6,7,8,9,10,11;own_ms=2')).not.toHaveProperty('undefined')
    expect(Object.keys(unpackPhases('1,,,,,,,,,,11'))).toEqual(['resolve_ms'])
  })
})
