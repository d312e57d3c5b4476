// The web door of accounts: the form of the postal address, which several screens have.
export { AddressFields, ZoneField } from './address/address-fields.tsx';
export { addressOf, addressRules, type AddressValues } from './address/address-values.ts';
export { WebsiteField } from './website-field.tsx';
export { saveAddress } from './address/save-address.ts';
