import { expect, it } from 'vitest'
import { publicNames } from '../../scripts/public-names.mjs'

// A name that is published stays. Whoever changes this list changes what others have written.

it('every subpath keeps its names (npm run exports writes the list: read what it changes)', async () => {
  await expect(publicNames()).toMatchFileSnapshot('./public-names.txt')
})
