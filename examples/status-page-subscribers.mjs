/**
 * Subscribers of a public page: your app keeps who wants mail, and the engine's event `published` says what is new. It
 * makes a page, writes a report on it, mails two people through a mail server that stands in for yours, and ends.
 *
 *   npm run build && npm install nodemailer && node examples/status-page-subscribers.mjs
 */

import { once } from 'node:events'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { createTransport } from 'nodemailer'
import { createEngine } from 'watchpost'
import { tcp } from 'watchpost/checkers/tcp'
import { memoryStore } from 'watchpost/store/memory'

// Instead of your mail server: it accepts every message and prints to whom it goes and what it is about.
const mailServer = createServer((socket) => {
  let inMessage = false
  let to = ''
  socket.write('220 localhost\r\n')
  createInterface({ input: socket }).on('line', (line) => {
    if (inMessage) {
      if (line.startsWith('Subject: ')) console.log(`${to}: ${line.slice('Subject: '.length)}`)
      if (line !== '.') return
      inMessage = false
    } else if (line.startsWith('RCPT TO:')) to = line.slice('RCPT TO:<'.length, -1)
    else if (line === 'DATA') inMessage = true
    socket.write(inMessage ? '354 go on\r\n' : '250 ok\r\n')
    if (line === 'QUIT') socket.end()
  })
}).listen(0, '127.0.0.1')
await once(mailServer, 'listening')
const { port } = /** @type {import('node:net').AddressInfo} */ (mailServer.address())
const mail = createTransport({ host: '127.0.0.1', port, secure: false, ignoreTLS: true })

// Yours: a table of addresses that were confirmed, with the pages that they chose.
const subscribers = new Map([['shop', ['ann@example.com', 'bob@example.com']]])

const engine = createEngine({ store: memoryStore(), checkers: [tcp()] })

/** @type {Promise<unknown>[]} */
const sending = []
engine.on('published', ({ change, pages, report, maintenance }) => {
  const about = report?.title ?? maintenance?.name ?? ''
  const text = report?.updates.at(-1)?.text ?? `From ${maintenance?.starts_at}`
  for (const { slug, title } of pages)
    for (const to of subscribers.get(slug) ?? [])
      sending.push(
        mail.sendMail({
          from: 'status@example.com',
          to,
          subject: `${title}: ${about} (${change.replace('_', ' ')})`,
          text,
          // One click ends it (RFC 8058).
          headers: {
            'List-Unsubscribe': `<https://example.com/unsubscribe?page=${slug}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          },
        }),
      )
})
await engine.start()

const page = await engine.publicPages.create({ title: 'Shop', slug: 'shop' })
const report = await engine.statusReports.create({
  title: 'Payments fail',
  page_ids: [page.id],
  text: 'We are looking into it.',
})
await Promise.all(sending)
await engine.statusReports.addUpdate(report.id, {
  status: 'resolved',
  text: 'A certificate had expired; it was renewed.',
})
await Promise.all(sending)

await engine.stop()
mailServer.close()
