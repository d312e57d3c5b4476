// Forms of each block type in the inspector: content and links.
import type { ReactNode } from 'react';
import type { BlockType } from '../../../document.ts';
import type { BlockFormProps } from './form-pieces.tsx';
import { CountdownForm } from './countdown-form.tsx';
import { EventForm } from './event-form.tsx';
import { MenuForm, SocialForm, TableForm } from './list-forms.tsx';
import { HeaderForm, ImageForm } from './picture-forms.tsx';
import {
  ButtonForm,
  DividerForm,
  FooterForm,
  HeadingForm,
  HtmlForm,
  SpacerForm,
  TextForm,
} from './plain-forms.tsx';
import { CouponForm, ProductForm } from './shop-forms.tsx';
import { VideoForm } from './video-form.tsx';

type Forms = { [T in BlockType]: (props: BlockFormProps<T>) => ReactNode };

export const BLOCK_FORMS: Forms = {
  heading: HeadingForm,
  text: TextForm,
  image: ImageForm,
  button: ButtonForm,
  divider: DividerForm,
  spacer: SpacerForm,
  social: SocialForm,
  menu: MenuForm,
  video: VideoForm,
  product: ProductForm,
  coupon: CouponForm,
  event: EventForm,
  countdown: CountdownForm,
  html: HtmlForm,
  table: TableForm,
  header: HeaderForm,
  footer: FooterForm,
};
