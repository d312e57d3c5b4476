// Who says whether a VAT number is given out. Where nobody can be asked, it is not valid.
export type VatCheck = (vat: { number: string; country: string }) => Promise<boolean>;
