// Interface of a provider that validates VAT numbers. While the register is unavailable, a number
// counts as invalid.
export type VatCheck = (vat: { number: string; country: string }) => Promise<boolean>;
