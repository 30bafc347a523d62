import { expect, it } from 'vitest'
import { redactUrl } from '../../../src/net/http/redact-url.ts'

it.each([
  ['https://example.com/a?b=c', 'https://example.com/a?b=c'],
  ['https://user:pass@example.com/', 'https://example.com/'],
  ['https://a.example/?token=x&page=2', 'https://a.example/?token=***&page=2'],
  ['https://a.example/?access_token=x', 'https://a.example/?access_token=***'],
  ['https://a.example/?accessToken=x', 'https://a.example/?accessToken=***'],
  [
    'https://a.example/?api-key=x&apikey=y&API_KEY=z',
    'https://a.example/?api-key=***&apikey=***&API_KEY=***',
  ],
  ['https://a.example/?X-Amz-Signature=x', 'https://a.example/?X-Amz-Signature=***'],
  ['https://a.example/?auth%5Bpassword%5D=x', 'https://a.example/?auth%5Bpassword%5D=***'],
  ['https://a.example/?tok%65n=x=y', 'https://a.example/?tok%65n=***'],
  [
    'https://a.example/?monkey=1&keyboard=2&design=3&passenger=4',
    'https://a.example/?monkey=1&keyboard=2&design=3&passenger=4',
  ],
  ['https://a.example/?token', 'https://a.example/?token'],
  ['not an address', '***'],
])('%s is shown as %s', (address, shown) => {
  expect(redactUrl(address)).toBe(shown)
})
