// Icons of step types and triggers.
import {
  IconApi,
  IconArrowsSplit2,
  IconBolt,
  IconBroadcast,
  IconCake,
  IconCalendarEvent,
  IconClick,
  IconClock,
  IconEye,
  IconForms,
  IconHelpHexagon,
  IconMail,
  IconMessage,
  IconPackage,
  IconPencil,
  IconReceipt,
  IconReceiptRefund,
  IconSettings,
  IconShoppingCart,
  IconTruckDelivery,
  IconUserMinus,
  IconUserPlus,
  IconUsers,
  IconUserX,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import classes from './icons.module.css';

type IconComponent = ComponentType<{ size?: number | string; stroke?: number | string }>;

const TRIGGERS: Record<string, IconComponent> = {
  LIST_ADD: IconUserPlus,
  LIST_REMOVE: IconUserMinus,
  FORM_SUBMIT: IconForms,
  SEGMENT_ENTER: IconUsers,
  DATE: IconCalendarEvent,
  ANNIVERSARY: IconCake,
  LINK_CLICK: IconClick,
  EVENT: IconBroadcast,
  FIELD_UPDATE: IconPencil,
  UNSUBSCRIBE: IconUserX,
  API: IconApi,
  CART_ABANDONED: IconShoppingCart,
  ORDER_PLACED: IconReceipt,
  PRODUCT_PURCHASED: IconPackage,
  ORDER_FULFILLED: IconTruckDelivery,
  ORDER_REFUNDED: IconReceiptRefund,
  PRODUCT_VIEWED: IconEye,
};

const STEPS: Record<string, IconComponent> = {
  trigger: IconBolt,
  EMAIL: IconMail,
  SMS: IconMessage,
  ACTION: IconSettings,
  CONDITION: IconHelpHexagon,
  split: IconArrowsSplit2,
  delay: IconClock,
};

export function StepIcon({ type }: { type: string }) {
  const TypeIcon = STEPS[type] ?? IconBolt;
  return (
    <span className={classes.icon} data-type={type} aria-hidden="true">
      <TypeIcon size={18} stroke={1.75} />
    </span>
  );
}

export function TriggerIcon({ type }: { type: string }) {
  const TypeIcon = TRIGGERS[type] ?? IconShoppingCart;
  return (
    <span className={classes.icon} data-type="trigger" aria-hidden="true">
      <TypeIcon size={18} stroke={1.75} />
    </span>
  );
}
