/**
 * Phrases of registries instead of a record. "Not registered" opens an incident, so it needs a
 * whole line in a known wording; a rate limit is assumed from any similar wording.
 *
 * @module
 */

/** Placeholder for the name in a line, so that other objects do not match ("file not found"). */
const NAME = '<name>'

/**
 * Each must match the whole line, in lower case, without comment marks, quotes and the full stop.
 */
const FREE_LINES: readonly RegExp[] = [
  // .com .net .br, and many others
  /^no match for (?:domain )?<name>$/,
  // .jp
  /^no match$/,
  // .org .io, and other registries on the same systems
  /^(?:the )?(?:queried )?(?:domain|domain name|object|domain <name>) (?:is |was |does )?not (?:found|exist|registered)$/,
  /^(?:the )?domain (?:name )?<name> (?:is |was )?not (?:found|registered)$/,
  /^the queried object does not exist(?:: .{1,80})?$/,
  // .fr .at, and "not found: example.org"
  /^(?:nothing|not) found(?::? <name>)?$/,
  // .ru .su .рф, and the software of RIPE
  /^no entries found(?: for the selected source(?:s|\(s\)))?$/,
  // .uk
  /^this domain name has not been registered$/,
  // .nl
  /^<name> is free$/,
  // .pl
  /^no information available about domain name <name> in the registry \S{1,20} database$/,
  // .cn
  /^no matching record$/,
  /^the domain name is not registered$/,
  // .kr
  /^the requested domain was not found in the registry or registrar's whois server$/,
  /^above domain name is not registered to krnic$/,
  // .se .nu
  /^<name> (?:is )?not found$/,
  // .ch .li
  /^we do not have an entry in our database matching your query$/,
  // Registries that do not repeat the name.
  /^(?:domain )?status: (?:available|free|no object found)$/,
]

const LATER: readonly RegExp[] = [
  /(?:limit|quota|\brate|number of (?:queries|requests|connections))\b.{0,80}(?:exceed|reached)/i,
  /(?:exceed|reach).{0,80}\b(?:limit|quota|rate|number of (?:queries|requests|connections))/i,
  /too many (?:requests|queries|connections|simultaneous|lookups)/i,
  /excessive (?:querying|queries|requests|use)/i,
  /(?:access|connection|permission|request)s? (?:of this client )?(?:is |was |are |has been )?(?:denied|refused|not permitted|blocked)/i,
  /(?:interval is too short|access is too fast|slow down|blacklisted|denylisted)/i,
  /(?:try|come) (?:it )?(?:again|back) (?:later|in\b|after)/i,
  /temporarily (?:unavailable|blocked|out of)/i,
]

/** Maximum lines examined: the phrase is near the top, legal notices and records are longer. */
const MAX_LINES = 400
const MAX_LINE_CHARACTERS = 400

/** @param names the name in every spelling that the answer may contain */
export function saysFree(text: string, names: readonly string[]): boolean {
  return lines(text)
    .map((line) => withoutNames(line, names))
    .some((line) => FREE_LINES.some((free) => free.test(line)))
}

export function saysLater(text: string): boolean {
  return lines(text).some((line) => LATER.some((later) => later.test(line)))
}

function withoutNames(line: string, names: readonly string[]): string {
  const bare = line.toLowerCase().replace(/["\u00ab\u00bb\u201c\u201d]/g, '')
  const name = names.find((each) => bare.includes(each))
  return name === undefined ? bare : bare.replaceAll(name, NAME)
}

/** Without comment marks and end marks, with single blanks. */
function lines(text: string): readonly string[] {
  return text
    .split(/[\r\n]+/, MAX_LINES)
    .map((line) => line.slice(0, MAX_LINE_CHARACTERS).replace(/\s+/g, ' '))
    .map((line) => line.replace(/^[ %#>*:-]+/, '').replace(/(?<![ .!*<])[ .!*<]+$/, ''))
    .filter((line) => line !== '')
}
