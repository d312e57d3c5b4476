// Validation of VAT numbers. Without an available register the number is not valid.
export type VatCheck = (vat: { number: string; country: string }) => Promise<boolean>;
