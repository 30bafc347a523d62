/**
 * Character references of HTML: numbers, and the names of HTML 4 with a few more that pages use. A name
 * that is not known stays as it is written, so that a page is still the same page at the next look.
 *
 * Source: https://html.spec.whatwg.org/multipage/named-characters.html and 13.2.5.80.
 *
 * @module
 */

/** The names of U+00A0 to U+00FF in order; browsers take these without a semicolon as well. */
const LATIN1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 ' +
  'sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc ' +
  'Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve ' +
  'Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute ' +
  'acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ' +
  'ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'

/** Name and code point (hex) by turns. */
const OTHERS =
  'Tab 9 NewLine a excl 21 num 23 dollar 24 percnt 25 apos 27 lpar 28 rpar 29 ast 2a plus 2b comma 2c ' +
  'period 2e sol 2f colon 3a semi 3b equals 3d quest 3f commat 40 lsqb 5b bsol 5c rsqb 5d lowbar 5f ' +
  'grave 60 lcub 7b verbar 7c vert 7c rcub 7d OElig 152 oelig 153 Scaron 160 scaron 161 Yuml 178 ' +
  'fnof 192 circ 2c6 tilde 2dc Alpha 391 Beta 392 Gamma 393 Delta 394 Epsilon 395 Zeta 396 Eta 397 ' +
  'Theta 398 Iota 399 Kappa 39a Lambda 39b Mu 39c Nu 39d Xi 39e Omicron 39f Pi 3a0 Rho 3a1 Sigma 3a3 ' +
  'Tau 3a4 Upsilon 3a5 Phi 3a6 Chi 3a7 Psi 3a8 Omega 3a9 alpha 3b1 beta 3b2 gamma 3b3 delta 3b4 ' +
  'epsilon 3b5 zeta 3b6 eta 3b7 theta 3b8 iota 3b9 kappa 3ba lambda 3bb mu 3bc nu 3bd xi 3be ' +
  'omicron 3bf pi 3c0 rho 3c1 sigmaf 3c2 sigma 3c3 tau 3c4 upsilon 3c5 phi 3c6 chi 3c7 psi 3c8 ' +
  'omega 3c9 thetasym 3d1 upsih 3d2 piv 3d6 ensp 2002 emsp 2003 thinsp 2009 hairsp 200a zwnj 200c ' +
  'zwj 200d lrm 200e rlm 200f hyphen 2010 ndash 2013 mdash 2014 lsquo 2018 rsquo 2019 sbquo 201a ' +
  'ldquo 201c rdquo 201d bdquo 201e dagger 2020 Dagger 2021 bull 2022 hellip 2026 permil 2030 ' +
  'prime 2032 Prime 2033 lsaquo 2039 rsaquo 203a oline 203e frasl 2044 euro 20ac image 2111 ' +
  'weierp 2118 real 211c trade 2122 alefsym 2135 larr 2190 uarr 2191 rarr 2192 darr 2193 harr 2194 ' +
  'crarr 21b5 lArr 21d0 uArr 21d1 rArr 21d2 dArr 21d3 hArr 21d4 forall 2200 part 2202 exist 2203 ' +
  'empty 2205 nabla 2207 isin 2208 notin 2209 ni 220b prod 220f sum 2211 minus 2212 lowast 2217 ' +
  'radic 221a prop 221d infin 221e ang 2220 and 2227 or 2228 cap 2229 cup 222a int 222b there4 2234 ' +
  'sim 223c cong 2245 asymp 2248 ne 2260 equiv 2261 le 2264 ge 2265 sub 2282 sup 2283 nsub 2284 ' +
  'sube 2286 supe 2287 oplus 2295 otimes 2297 perp 22a5 sdot 22c5 lceil 2308 rceil 2309 lfloor 230a ' +
  'rfloor 230b lang 27e8 rang 27e9 loz 25ca starf 2605 star 2606 phone 260e spades 2660 clubs 2663 ' +
  'hearts 2665 diams 2666 check 2713 cross 2717'

const BASIC = { amp: '&', lt: '<', gt: '>', quot: '"', AMP: '&', LT: '<', GT: '>', QUOT: '"' }

/** Taken with and without a semicolon. */
const BARE: ReadonlyMap<string, string> = new Map([
  ...Object.entries(BASIC),
  ...LATIN1.split(' ').map((name, at) => [name, String.fromCodePoint(0xa0 + at)] as const),
])

const NAMED: ReadonlyMap<string, string> = new Map([...BARE, ...pairs(OTHERS)])

/** Where numbers 128 to 159 are meant in windows-1252 (HTML 13.2.5.80); 0 where there is nothing to replace. */
const WINDOWS_1252 = [
  0x20ac, 0, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0,
  0x17d, 0, 0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a,
  0x153, 0, 0x17e, 0x178,
]

/** In the first group a number in hex or decimal, in the second a name. */
const REFERENCE = /&(?:#(x[0-9a-f]+|\d+);?|([a-z][a-z0-9]*;?))/gi

const REPLACEMENT = '\ufffd'

/** The text with its references replaced by what they stand for. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(REFERENCE, (whole, number: string | undefined, name = '') => {
    if (number !== undefined) return numbered(Number(/^x/i.test(number) ? `0${number}` : number))
    const bare = String(name)
    return (bare.endsWith(';') ? NAMED.get(bare.slice(0, -1)) : BARE.get(bare)) ?? whole
  })
}

/** Where to cut a long text for {@link decodeEntities}: at `end`, or behind the reference that stands there. */
export function endOfPiece(text: string, at: number, end: number): number {
  if (end >= text.length) return text.length
  const begin = text.slice(at, end).lastIndexOf('&')
  if (begin < 0) return end
  const REFERENCE_HERE = /&#?[a-z0-9]*;?/iy
  REFERENCE_HERE.lastIndex = at + begin
  REFERENCE_HERE.test(text)
  return Math.max(end, REFERENCE_HERE.lastIndex)
}

function numbered(given: number): string {
  const code = WINDOWS_1252[given - 0x80] || given
  const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
  return isCharacter ? String.fromCodePoint(code) : REPLACEMENT
}

function pairs(list: string): (readonly [string, string])[] {
  const words = list.split(' ')
  return words.flatMap((word, at) =>
    at % 2 === 0 ? [[word, String.fromCodePoint(parseInt(words[at + 1] ?? '', 16))] as const] : [],
  )
}
