/** Written abbreviations of given names and of Spanish family names (`index.ts` explains). */
export const ABBREVIATIONS = `
abd abdul, archd archibald, benj benjamin, chas charles, danl daniel, dgo domingo, dguez dominguez, edw edward, edwd edward, eliz elizabeth,
fca francisca, fco francisco, fdez fernandez, fdo fernando, fredk frederick, geo george, glez gonzalez, gmo guillermo, gpe guadalupe, gtz gutierrez,
hdez hernandez, jas james, jno john, jse jose, margt margaret, mst musammat, mtnez martinez, mtz martinez, nathl nathaniel, rdz rodriguez,
rguez rodriguez, richd richard, robt robert, saml samuel, sk sheikh, stgo santiago, thos thomas, wm william
`;
