import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html, textOf } from '../../src/page/layout/markup.ts'
import { ENGLISH } from '../../src/page/words/language.ts'

const text = (...parts: Parameters<typeof html>) => textOf(html(...parts), ENGLISH)

describe('html', () => {
  it('escapes whatever is put in, between tags and in attributes', () => {
    const hostile = `<script>alert("1")</script> & 'more'`
    expect(text`<p title="${hostile}">${hostile}</p>`).toBe(
      '<p title="&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;">' +
        '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;</p>',
    )
  })

  it('never lets a text end what it stands in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const inside = text`${value}`
        expect(inside).not.toMatch(/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/)
        expect(inside).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      }),
    )
  })

  it('replaces what HTML, or XML, may not contain', () => {
    const forbidden = '\0\v\r\x7F\x9F\uD800\uFDD0\uFFFE\uFFFF\u{1FFFE}'
    expect(text`a${forbidden}b${'\t\n\u2028é😀'}`).toBe(`a${'\uFFFD'.repeat(10)}b\t\n\u2028é😀`)
  })

  it('takes markup as it is, joins lists, and leaves nothing of what is not there', () => {
    const item = (name: string) => html`<li>${name}</li>`
    expect(text`<ul>${['a', '<b>'].map(item)}${null}${false}${undefined}${0}</ul>`).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li>0</ul>',
    )
  })

  it('does not take an object from outside for markup', () => {
    const forged = JSON.parse('{"watchpost.markup":"<b>"}') as never
    expect(() => text`${forged}`).toThrow()
  })
})
