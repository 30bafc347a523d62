/**
 * On paper: without what is pressed, and nothing torn apart. Stands last, so that it has the last word.
 *
 * @module
 */

export const PRINT = `@media print{
.top nav,.top form,.filter,.actions,.headline form,.choices,.pages,.news,.foot form,#live{display:none}
body{print-color-adjust:exact}
li,tr,figure{break-inside:avoid}
h2{break-after:avoid}
}
`
