// Keys of a form's validation messages.

export const TEXT_KEYS = [
  'captcha',
  'required',
  'select',
  'choices',
  'fill',
  'email',
  'url',
  'number',
  'colour',
  'date',
  'time',
  'datetime',
  'month',
  'format',
  'max',
  'min',
  'maxLength',
  'minLength',
  'phone',
  'phoneCountry',
  'phoneShort',
  'phoneLong',
] as const;
export type TextKey = (typeof TEXT_KEYS)[number];
