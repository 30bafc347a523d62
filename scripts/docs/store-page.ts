/** The generated parts of docs/extend/store.md: the members of `Store`, and a complete store. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { TABLES } from '../../src/store/tables.ts'
import { root } from '../steps.mjs'
import { block, code, plain, table } from './markdown.ts'
import { parseFile } from './source-facts.ts'

const CONTRACT = 'src/store/store.ts'
/** Groups that stand beside the contract, by their types. */
const PARTS: Readonly<Record<string, string>> = {
  Contacts: 'src/store/contacts.ts',
  Outbox: 'src/store/outbox.ts',
  Shards: 'src/store/shared.ts',
  Changes: 'src/store/shared.ts',
  Requests: 'src/store/shared.ts',
  IdempotencyLocks: 'src/store/shared.ts',
}

export function storeMembers(): string {
  const rows = membersOf(CONTRACT, 'Store').flatMap((member) => {
    const own = methodsIn(member)
    const row = [member.name.getText(), need(member), about(member)]
    return [row, ...own.map((method) => methodRow(member, method))]
  })
  return table(
    ['Member', 'Needed', 'What it does'],
    rows.map(([name = '', needed = '', text = '']) => [code(name), needed, text]),
  )
}

export function storeTables(): string {
  const rows = Object.entries(TABLES).map(([name, columns]) => [
    code(name),
    columns.map(code).join(', '),
  ])
  return table(['Table', 'Found by'], rows)
}

export function completeStore(): string {
  return block('js', readFileSync(join(root, 'examples/file-store.mjs'), 'utf8').trimEnd())
}

type Member = ts.PropertySignature | ts.MethodSignature

function membersOf(path: string, name: string): Member[] {
  const found = parseFile(path).statements.find(
    (node) => ts.isInterfaceDeclaration(node) && node.name.text === name,
  )
  if (found === undefined) throw new Error(`${path} has no interface ${name}`)
  return (found as ts.InterfaceDeclaration).members.filter(isMember)
}

function isMember(node: ts.TypeElement): node is Member {
  return ts.isPropertySignature(node) || ts.isMethodSignature(node)
}

/** Of a group, whether its type stands in place or beside the contract. */
function methodsIn({ type }: Member): Member[] {
  if (type === undefined) return []
  if (ts.isTypeLiteralNode(type)) return type.members.filter(isMember)
  const name = type.getText()
  const file = PARTS[name]
  return file === undefined ? [] : membersOf(file, name)
}

function methodRow(group: Member, method: Member): string[] {
  const needed = need(group) === 'required' ? need(method) : `with ${code(group.name.getText())}`
  return [`${group.name.getText()}.${method.name.getText()}`, needed, about(method)]
}

function need({ questionToken }: Member): string {
  return questionToken === undefined ? 'required' : 'optional'
}

/** The first paragraph of the comment. */
function about(member: Member): string {
  const [comment] = ts.getJSDocCommentsAndTags(member)
  const text = comment === undefined ? '' : ts.getTextOfJSDocComment(comment.comment)
  const [first = ''] = (text ?? '').split(/\n\s*\n/)
  return plain(first.replace(/\{@link ([\w.]+)\}/g, '`$1`').replace(/\s+/g, ' '))
}
