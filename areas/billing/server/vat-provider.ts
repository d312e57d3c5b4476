// Interface of a provider that validates VAT numbers. While the register is unavailable, a number
// is treated as invalid.
export type VatCheck = (vat: { number: string; country: string }) => Promise<boolean>;
