// CSS that shows an edit of an image as the server would draw it.
import type { CSSProperties } from 'react';

export type ImageEdit = { rotate: 0 | 90 | 180 | 270; brightness: number; radius: number };

export const NO_EDIT: ImageEdit = { rotate: 0, brightness: 100, radius: 0 };

export function rotateImage({ rotate }: ImageEdit, degrees: 90 | -90): Pick<ImageEdit, 'rotate'> {
  return { rotate: ((rotate + degrees + 360) % 360) as ImageEdit['rotate'] };
}

/**
 * Returns the CSS of an edit. The radius of an edit is a percentage of the shorter side; CSS needs
 * a percentage of the width and one of the height.
 */
export function editStyle(
  { rotate, brightness, radius }: ImageEdit,
  { width, height }: { width: number; height: number },
): CSSProperties {
  const shorter = Math.min(width, height);
  const toPercent = (side: number) => `${(radius * shorter) / side}%`;
  // An image turned by a quarter must fit the frame of the unturned image.
  const scale = rotate % 180 === 0 ? 1 : Math.min(1, shorter / Math.max(width, height));
  return {
    transform: `rotate(${rotate}deg) scale(${scale})`,
    filter: `brightness(${brightness}%)`,
    borderRadius: `${toPercent(width)} / ${toPercent(height)}`,
  };
}
