import type { Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { createDialogue } from '../../src/net/connection/dialogue.ts'
import type { Dialogue, DialogueOptions } from '../../src/net/connection/dialogue.ts'
import { openTestNet } from '../support/open-net.ts'
import { scriptedServer } from '../support/scripted-server.ts'
import type { Script, ScriptedServer } from '../support/scripted-server.ts'

async function meet(
  script: Script,
  options: Partial<DialogueOptions> = {},
): Promise<{ dialogue: Dialogue; server: ScriptedServer }> {
  const server = await scriptedServer(script)
  const connection = await openTestNet().connect({ host: '127.0.0.1', port: server.port })
  return {
    dialogue: createDialogue(connection, { rest: () => systemClock.sleep(0), ...options }),
    server,
  }
}

const says = (text: string) => (socket: Socket) => void socket.write(text, 'latin1')

describe('a dialogue', () => {
  it('says lines and hears lines', async () => {
    const { dialogue, server } = await meet((socket) => {
      socket.on('data', () => socket.write('hello\r\n'))
    })
    await dialogue.say('hi')
    expect(await dialogue.hear()).toBe('hello')
    expect(server.received).toBe('hi\r\n')
  })

  it.each(['a\r\nb', 'a\nb', 'a\rb', 'a\0b'])('does not say %j', async (line) => {
    const { dialogue, server } = await meet(() => undefined)
    await expect(dialogue.say(line)).rejects.toThrow(TypeError)
    expect(server.received).toBe('')
  })

  it('says nothing to a server that has answered already, unless that may be', async () => {
    const early = await meet(says('one\r\ntwo\r\n'))
    await early.dialogue.hear()
    await expect(early.dialogue.say('hi')).rejects.toMatchObject({ code: 'protocol_error' })
    expect(early.server.received).toBe('')

    const chatty = await meet(says('one\r\ntwo\r\n'), { chatty: true })
    await chatty.dialogue.hear()
    await chatty.dialogue.say('hi')
    expect(await chatty.dialogue.hear()).toBe('two')
  })

  it('shows every line to its inspector, also one that came unasked', async () => {
    const inspect = vi.fn((line: string) => {
      if (line === 'bye') throw new Error('goodbye')
    })
    const { dialogue } = await meet(says('one\r\nbye\r\n'), { inspect })
    await dialogue.hear()
    await expect(dialogue.say('hi')).rejects.toThrow('goodbye')
    expect(inspect.mock.calls).toEqual([['one'], ['bye']])
  })

  it('takes 64 KiB as one answer, and as much again as the next', async () => {
    const line = `${'x'.repeat(1022)}\r\n`
    const { dialogue } = await meet((socket) => {
      socket.on('data', () => socket.write(line.repeat(64)))
    })
    for (const turn of ['first', 'second']) {
      await dialogue.say(turn)
      for (let lines = 0; lines < 64; lines++) await dialogue.hear()
    }
  })

  it.each([
    ['one line beyond 8 KiB', 'x'.repeat(9000)],
    ['lines beyond 64 KiB', 'x\r\n'.repeat(30_000)],
  ])('ends at %s', async (_, text) => {
    const { dialogue } = await meet(says(text))
    const all = async (): Promise<void> => {
      for (;;) await dialogue.hear()
    }
    await expect(all()).rejects.toMatchObject({ code: 'too_long' })
  })

  it('takes a block of bytes between lines, and none that is too long', async () => {
    const { dialogue } = await meet(says('{3}\r\na\nb\r\nrest\r\n'))
    await dialogue.hear()
    expect((await dialogue.hearBlock(3)).toString()).toBe('a\nb')
    expect(await dialogue.hear()).toBe('')
    expect(await dialogue.hear()).toBe('rest')
    await expect(dialogue.hearBlock(2 ** 40)).rejects.toMatchObject({ code: 'too_long' })
  })

  it('does not wait for the end of a line that cannot be one', async () => {
    const { dialogue } = await meet(says('\x15\x03\x01'))
    const digits = (beginning: string): boolean => /^\d/.test(beginning)
    await expect(dialogue.hear(digits)).rejects.toMatchObject({ code: 'protocol_error' })
  })
})
