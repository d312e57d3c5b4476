// The public web interface of accounts: the postal address form, shared by several screens.
export { AddressFields, ZoneField } from './address/address-fields.tsx';
export { addressOf, addressRules, type AddressValues } from './address/address-values.ts';
export { WebsiteField } from './website-field.tsx';
export { saveAddress } from './address/save-address.ts';
