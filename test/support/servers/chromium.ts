/** The browser of the tests, that of the machine. */

import type { ServerNeed } from './binaries.ts'
import { findBinary } from './binaries.ts'

export const chromiumBrowser: ServerNeed = {
  name: 'Chromium',
  packages: 'chromium',
  locate: () => findBinary(['chromium', 'chromium-browser']),
}
