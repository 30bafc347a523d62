import { describe, expect, it } from 'vitest'
import { recordingTransport } from '../../src/testing/recording-transport.ts'
import { delivery, rig } from './rig.ts'

describe('the recording transport', () => {
  it('keeps what would have been sent, without sending it', async () => {
    const transport = recordingTransport()
    const { attempt } = rig({ transport, guard: {} })
    const end = await attempt({ url: 'https://8.8.8.8/hook', secret: 'a secret' })
    expect(end).toMatchObject({ class: 'delivered', http_status: 200 })
    const [request] = transport.requests
    expect(request).toMatchObject({
      url: 'https://8.8.8.8/hook',
      method: 'POST',
      body: delivery.body,
    })
    expect(request?.header('x-service-event')).toBe('down')
    expect(request?.json).toMatchObject({ event: 'down', notification_id: 42 })
    expect(request?.verify('a secret')).toMatchObject({ ok: true, notificationId: 42 })
    expect(request?.verify('another')).toEqual({ ok: false, reason: 'mismatch' })
  })

  it('answers as told, and then as always', async () => {
    const transport = recordingTransport({ fallback: 204 })
    const { attempt } = rig({ transport, guard: {} })
    transport.answerWith(500, 'timeout', { status: 503, retry_after: '45', answer: 'busy' })
    const target = { url: 'https://8.8.8.8/hook' }
    expect(await attempt(target)).toMatchObject({ class: 'temporary', error: 'http_500' })
    expect(await attempt(target)).toMatchObject({ class: 'temporary', error: 'timeout' })
    expect(await attempt(target)).toMatchObject({ retry_after_ms: 45_000, answer: 'busy' })
    expect(await attempt(target)).toMatchObject({ class: 'delivered', http_status: 204 })
    expect(transport.requests).toHaveLength(4)
  })

  it('gets nothing that the guard refuses', async () => {
    const transport = recordingTransport()
    const end = await rig({ transport, guard: {} }).attempt({ url: 'http://10.0.0.1/' })
    expect(end).toMatchObject({ class: 'failed', error: 'blocked' })
    expect(transport.requests).toHaveLength(0)
  })
})
