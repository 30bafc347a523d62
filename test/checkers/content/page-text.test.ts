import fc from 'fast-check'
import { Tokenizer } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { textOfHtml } from '../../../src/checkers/content/html-text.ts'
import { fold, kindOf, readerOf } from '../../../src/checkers/content/page-text.ts'
import type { PageKind } from '../../../src/checkers/content/page-text.ts'
import { runSteps } from './run-steps.ts'

const readers = {
  html: await readerOf('html'),
  json: await readerOf('json'),
  text: await readerOf('text'),
}
const page = (source: string, kind: PageKind = 'html'): string => runSteps(readers[kind](source))

describe('the text of a page', () => {
  it('is what a reader sees', () => {
    const html = `<!DOCTYPE html>
      <html lang="en"><head><meta charset=utf-8><title>Not this</title>
        <style>p > a { color: red }</style><script>if (1 < 2) document.write("<p>no</p>")</script>
      </head>
      <body class='a > b'>
        <!-- a comment with <p>markup</p> -->
        <h1>Opening   hours</h1><p>Mon&ndash;Fri 9&nbsp;&ndash;&nbsp;17, <b>bold</b>ly
        <a href="/x?a=1&b=2" title="more > less">more</a></p>
        <ul><li>One<li>Two</ul>
        <table><tr><th>Price<td>12&euro;<tr><td>Tax</td><td>5 &lt; 6</td></tr></table>
        <svg><title>icon</title><g><text>drawn</text></g></svg><br/>
        <noscript><img src="track.gif">please enable</noscript>
        <iframe>old browsers</iframe><canvas>fallback</canvas><template><p>later</p></template>
        <math><mi>x</mi></math><textarea><b>draft</b></textarea>
        <pre>line 1
  line 2</pre>
      </body></html>`
    expect(page(html).split('\n')).toEqual([
      'Opening hours',
      'Mon–Fri 9 – 17, boldly more',
      'One',
      'Two',
      'Price 12€',
      'Tax 5 < 6',
      '<b>draft</b>',
      'line 1',
      'line 2',
    ])
  })

  it.each([
    ['a < b and c > d', 'a < b and c > d'],
    ['1 <2 <', '1 <2 <'],
    ['a<!-->b', 'ab'],
    ['a<!--->b', 'ab'],
    ['a<!-- x --!>b', 'ab'],
    ['a<!-- never closed <p>x', 'a'],
    ['a<?php echo "x" ?>b', 'ab'],
    ['a</ not a tag>b', 'ab'],
    ['a<![CDATA[x]]>b', 'ab'],
    ['a<p title="never closed>b', 'a'],
    ["a<p title = 'x>y'>b", 'a\nb'],
    ['a<p title=x"y>b', 'a\nb'],
    ['a<p <b>c', 'a\nc'],
    ['<SCRIPT>x</ScRiPt >a', 'a'],
    ['<script>x</scripty></script>a', 'a'],
    ['a<script>never closed', 'a'],
    ['<svg><svg>x</svg>y</svg>a', 'a'],
    ['<svg><svg>x</svg>a', 'a'],
    ['<svg>never closed', 'never closed'],
    ['<svg/>a<math />b', 'ab'],
    ['<template><svg>x</template>a', 'a'],
    ['<canvas><script>"</canvas>"</script>x</canvas>a', 'a'],
    ['<head><title>t</title><body>a<script>"</head>"</script>b', 'ab'],
    ['<header>a</header><heading>b', 'a\nb'],
    ['<title>t', ''],
    ['<textarea>never closed', 'never closed'],
    ['</p></svg></head>a', 'a'],
    ['soft\u00adhyphen zero\u200bwidth', 'softhyphen zerowidth'],
    ['', ''],
    ['<', '<'],
    ['</', '</'],
    ['<!', ''],
    ['<a', ''],
    ['a<br /', 'a'],
    ['a<p b="x"/', 'a'],
    ['a<p b="x" c', 'a'],
    ['<svg><title/>x</svg>a', 'a'],
    ['<svg><style/><p>x</svg>a<script>y</script>b', 'ab'],
    ['<svg><svg>x</svg><script><p>y</p></script>a', 'a'],
    ['<noscript><p>x</noscript>a', 'a'],
    ['<noscript>never closed', 'never closed'],
    ['a<plaintext><p>b', 'a<p>b'],
  ])('of %j is %j', (html, text) => {
    expect(page(html)).toBe(text)
  })

  it.each([
    ['&amp;&lt;&gt;&quot;&apos;', '&<>"\''],
    ['&eacute;&Eacute;&euro;&hellip;&alpha;', 'éÉ€…α'],
    ['&#65;&#x41;&#X41;&#65 &copy 2026', 'AAAA © 2026'],
    ['&#150;&#x80;', '–€'],
    ['&#0;&#xd800;&#x110000;&#99999999999999999999;', '\ufffd\ufffd\ufffd\ufffd'],
    ['&#128512;', '😀'],
    ['&CounterClockwiseContourIntegral;&NotEqualTilde;', '∳≂̸'],
    ['&notit; &notin;', '¬it; ∉'],
    [
      '&unknown; &constructor; &__proto__; & &; &# &#x; &euro',
      '&unknown; &constructor; &__proto__; & &; &# &#x; &euro',
    ],
    ['a=1&b=2&lt=3&amp;lt;', 'a=1&b=2<=3&lt;'],
    ['&lt;script&gt;x&lt;/script&gt;', '<script>x</script>'],
  ])('decodes %s', (html, text) => {
    expect(page(html)).toBe(text)
  })

  it('of any input is text without an exception, and the same at the second look', () => {
    const bits = fc.constantFrom(
      ...['<', '>', '</', '<!--', '-->', '"', "'", '=', '&', '&#', ';', '/', ' ', '\n', '<p>', 'a'],
      ...[
        '<svg>',
        '</svg>',
        '<script>',
        '</script>',
        '<head>',
        '</head>',
        '<title',
        '<pre>',
        '\ud800',
      ],
    )
    const soup = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(bits).map((all) => all.join('')),
    )
    fc.assert(
      fc.property(soup, (html) => {
        const text = page(html)
        expect(text).toBe(page(html))
        expect(text).toBe(runSteps(fold(text)))
      }),
      { numRuns: 2000 },
    )
  })

  it('never has markup of well-formed elements in it', () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/)
    const name = fc.constantFrom('p', 'div', 'b', 'span', 'svg', 'script', 'custom-element')
    const value = fc.stringMatching(/^[a-z<>/ ]{0,8}$/)
    const element = fc
      .tuple(name, value, fc.array(word, { maxLength: 3 }))
      .map(([tag, held, words]) => `<${tag} title="${held}">${words.join(' ')}</${tag}>`)
    fc.assert(
      fc.property(fc.array(element), (elements) => {
        expect(page(elements.join(' '))).toMatch(/^[a-z \n]*$/)
      }),
    )
  })

  it.each([
    ['<', ''],
    ['<a ', ''],
    ['<a b="', ''],
    ['<a =', ''],
    ['<!--', ''],
    ['<!-', ''],
    ['</', ''],
    ['<svg>', ''],
    ['<svg>', '</svg>'],
    ['</svg>', ''],
    ['<script>', ''],
    ['<script></script', ''],
    ['<title>x</title>', ''],
    ['<head>', '</head>'],
    ['<pre>\n', ''],
    ['&', ''],
    ['&#', ''],
    ['&#1', ''],
    ['&a', ''],
    [' ', ''],
    ['\n', ''],
    ['=\t', '>'],
    ['"\'', '>'],
  ])('takes time linear to the length of %j again and again', (part, end) => {
    const length = 2 * 1024 * 1024
    const html = part.repeat(length / part.length) + end
    const from = process.cpuUsage()
    page(`<p ${html}`)
    page(html)
    // Quadratic work on two million characters would take hours.
    expect(process.cpuUsage(from).user / 1000).toBeLessThan(15_000)
  })

  it('lets others have a turn within a long page', () => {
    let turns = 0
    const steps = textOfHtml('<p>some words</p>'.repeat(60_000), Tokenizer)
    while (steps.next().done !== true) turns++
    expect(turns).toBeGreaterThan(10)
  })
})

describe('JSON', () => {
  it('is the same text however it is written', () => {
    const one = '{"b":[1,2,{"d":null,"c":"x\\ny"}],"a":true}'
    const other = '{\n  "a": true, "b": [1, 2, {"c": "x\\u000ay", "d": null}]}'
    expect(page(one, 'json')).toBe(page(other, 'json'))
    expect(page(one, 'json').split('\n')).toEqual([
      ...['{', '"a": true', '"b": [', '1', '2', '{', '"c": "x\\ny"', '"d": null', '}', ']', '}'],
    ])
  })

  it('with keys that would reach a prototype is data like any other', () => {
    expect(page('{"__proto__":{"x":1}}', 'json')).toContain('"__proto__": {')
  })

  it.each(['{"a":', 'not json', '['.repeat(100_000)])('that is none is text: %.20s', (source) => {
    expect(page(source, 'json')).toBe(runSteps(fold(source)))
  })
})

describe('the kind of an answer', () => {
  const kind = (type: string | undefined, body = '') =>
    kindOf({
      headers: type === undefined ? {} : { 'content-type': type },
      body: Buffer.from(body, 'latin1'),
    })

  it.each([
    ['text/html; charset=utf-8', 'html'],
    ['TEXT/HTML', 'html'],
    ['application/xhtml+xml', 'html'],
    ['application/json', 'json'],
    ['application/problem+json; x=y', 'json'],
    ['text/plain', 'text'],
    ['text/csv', 'text'],
    ['application/rss+xml', 'text'],
    ['application/xml', 'text'],
    ['application/javascript', 'text'],
    ['image/png', undefined],
    ['application/pdf', undefined],
    ['application/octet-stream', undefined],
    ['nonsense', undefined],
  ])('%s is %s', (type, expected) => {
    expect(kind(type)).toBe(expected)
  })

  it('without a type is told by its looks', () => {
    expect(kind(undefined, '\n<!DOCTYPE HTML><p>')).toBe('html')
    expect(kind(undefined, 'plain words')).toBe('text')
    expect(kind(undefined, '\x89PNG\r\n\x1a\n\0\0')).toBe(undefined)
  })
})
