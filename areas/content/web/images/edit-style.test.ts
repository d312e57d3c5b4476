// CSS of image edits.
import { expect, test } from 'vitest';
import { editStyle, NO_EDIT, rotateImage } from './edit-style.ts';

test('an image is turned by 90 degrees to the left or right', () => {
  expect(rotateImage(NO_EDIT, -90)).toEqual({ rotate: 270 });
  expect(rotateImage({ ...NO_EDIT, rotate: 270 }, 90)).toEqual({ rotate: 0 });
});

test('corners have the same radius on both axes, and a rotated image fits its frame', () => {
  const edit = { rotate: 90, brightness: 120, radius: 50 } as const;
  expect(editStyle(edit, { width: 400, height: 200 })).toEqual({
    transform: 'rotate(90deg) scale(0.5)',
    filter: 'brightness(120%)',
    borderRadius: '25% / 50%',
  });
});
