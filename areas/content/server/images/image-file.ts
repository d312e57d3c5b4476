// Incoming images: identified by their first bytes, decoded within limits, and reencoded, so that
// only pixels are stored (no EXIF, no location, no embedded code).
import sharp, { type Sharp } from 'sharp';
import { AppError } from '#platform/server/errors.ts';
import {
  STORED_IMAGE_SIDE,
  MAX_IMAGE_BYTES,
  MAX_IMAGE_PIXELS,
  MAX_IMAGE_PIXELS_SIDE,
  type ImageFormat,
} from '../../shared.ts';

export type ProcessedImage = {
  bytes: Buffer;
  /** First frame as WebP, for the library. */
  thumbnail: Buffer;
  format: ImageFormat;
  is_animated: boolean;
  width: number;
  height: number;
};
export type ImageCrop = {
  left: number;
  top: number;
  width: number;
  height: number;
  resize_to?: number | undefined;
};

const TIMEOUT_SECONDS = 20;
const QUALITY = 85;
/** Each frame costs decoding and encoding, regardless of its size. */
const MAX_FRAMES = 1_000;

/**
 * Decodes and reencodes an image. WebP is converted to PNG, JPG or GIF, because Outlook does not
 * support it. @throws `image_format`, `image_unreadable`, `image_too_large` or
 * `image_too_many_pixels`
 */
export function readImageFile(bytes: Buffer): Promise<ProcessedImage> {
  return withDecodedImage(bytes, async (image, imageInfo) => {
    const resizedImage = image.autoOrient().resize({
      width: STORED_IMAGE_SIDE,
      height: STORED_IMAGE_SIDE,
      fit: 'inside',
      withoutEnlargement: true,
    });
    return encodeImage(resizedImage, imageInfo);
  });
}

/** Crops an image. @throws `image_crop_outside`, and the errors of `readImageFile` */
export function cropImageFile(bytes: Buffer, crop: ImageCrop): Promise<ProcessedImage> {
  return withDecodedImage(bytes, async (image, imageInfo) => {
    if (crop.left + crop.width > imageInfo.width || crop.top + crop.height > imageInfo.height) {
      throw new AppError('image_crop_outside');
    }
    const { left, top, width, height, resize_to: to } = crop;
    const croppedImage = image.extract({ left, top, width, height });
    return encodeImage(
      to === undefined
        ? croppedImage
        : croppedImage.resize({ width: to, withoutEnlargement: true }),
      imageInfo,
    );
  });
}

export type ImageFileEdit = {
  /** Degrees clockwise. */
  rotate: 0 | 90 | 180 | 270;
  /** Percent; 100 changes nothing. */
  brightness: number;
  /** Radius of the corners in percent of the shorter side; 50 makes a circle of a square. */
  radius: number;
};

/**
 * Maximum longer side of images with rounded corners, which are stored as PNG and so take more
 * bytes than JPEG photos.
 */
const MAX_ROUND_SIDE = 1600;

/**
 * Applies an edit that the editor previews with CSS. @throws `image_animated`, and the errors of
 * `readImageFile`
 */
export function editImageFile(bytes: Buffer, edit: ImageFileEdit): Promise<ProcessedImage> {
  return withDecodedImage(bytes, async (image, imageInfo) => {
    if (imageInfo.pages > 1) throw new AppError('image_animated');
    const rotatedImage = image.rotate(edit.rotate);
    const adjustedImage =
      edit.brightness === 100 ? rotatedImage : rotatedImage.linear(edit.brightness / 100, 0);
    if (edit.radius === 0) return encodeImage(adjustedImage, imageInfo);
    const isTurned = edit.rotate % 180 !== 0;
    const [width, height] = isTurned
      ? [imageInfo.height, imageInfo.width]
      : [imageInfo.width, imageInfo.height];
    const scale = Math.min(1, MAX_ROUND_SIDE / Math.max(width, height));
    const size = {
      width: Math.max(1, Math.round(width * scale)),
      height: Math.max(1, Math.round(height * scale)),
    };
    const radius = (Math.min(size.width, size.height) * edit.radius) / 100;
    const mask = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><rect width="100%" height="100%" rx="${radius}" ry="${radius}"/></svg>`;
    const roundedImage = adjustedImage
      .resize({ ...size, fit: 'fill' })
      .ensureAlpha()
      .composite([{ input: Buffer.from(mask), blend: 'dest-in' }]);
    return encodeImage(
      roundedImage,
      { ...imageInfo, format: 'png', hasAlpha: true },
      imageInfo.format === 'jpg',
    );
  });
}

/** Maximum longer side of an image that a model describes; its JPEG is smaller than a megabyte. */
const DESCRIBED_SIDE_PX = 1024;
const DESCRIBED_QUALITY = 80;

/** Returns the first frame as a small JPEG on a white background. */
export function reduceImageFile(bytes: Buffer): Promise<Buffer> {
  return withDecodedImage(bytes, () =>
    sharp(bytes, { failOn: 'error', limitInputPixels: MAX_IMAGE_PIXELS })
      .timeout({ seconds: TIMEOUT_SECONDS })
      .resize({
        width: DESCRIBED_SIDE_PX,
        height: DESCRIBED_SIDE_PX,
        fit: 'inside',
        withoutEnlargement: true,
      })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: DESCRIBED_QUALITY })
      .toBuffer(),
  );
}

type ImageInfo = {
  format: ImageFormat;
  width: number;
  height: number;
  pages: number;
  hasAlpha: boolean;
};

async function withDecodedImage<T>(
  bytes: Buffer,
  work: (image: Sharp, imageInfo: ImageInfo) => Promise<T>,
): Promise<T> {
  if (bytes.length > MAX_IMAGE_BYTES) throw createTooLargeError();
  const format = readFormat(bytes);
  if (format === undefined) throw new AppError('image_format');
  try {
    const options = {
      animated: true,
      failOn: 'error',
      limitInputPixels: MAX_IMAGE_PIXELS,
    } as const;
    const image = sharp(bytes, options).timeout({ seconds: TIMEOUT_SECONDS });
    const { width, pageHeight, height, pages = 1, hasAlpha } = await image.metadata();
    const imageInfo = { format, width, height: pageHeight ?? height, pages, hasAlpha };
    const isTooLarge =
      Math.max(imageInfo.width, imageInfo.height) > MAX_IMAGE_PIXELS_SIDE ||
      imageInfo.width * imageInfo.height * pages > MAX_IMAGE_PIXELS ||
      pages > MAX_FRAMES;
    if (isTooLarge) throw new AppError('image_too_many_pixels');
    return await work(image, imageInfo);
  } catch (error) {
    if (error instanceof AppError) throw error;
    const reason = error instanceof Error ? error.message : '';
    throw new AppError(
      /pixel limit|timeout/i.test(reason) ? 'image_too_many_pixels' : 'image_unreadable',
    );
  }
}

function createTooLargeError(): AppError {
  return new AppError('image_too_large', {
    values: { limit: MAX_IMAGE_BYTES / 1024 / 1024 },
  });
}

/**
 * @param isPhoto if the result is a PNG, its colors are reduced to a palette, because a photo in
 *   full color has five times as many bytes
 */
async function encodeImage(
  image: Sharp,
  imageInfo: ImageInfo,
  isPhoto = false,
): Promise<ProcessedImage> {
  const isAnimated = imageInfo.pages > 1;
  const format = selectStoredFormat(imageInfo, isAnimated);
  const encoders = {
    png: () =>
      isPhoto
        ? image.png({ palette: true, quality: 95, effort: 7 })
        : image.png({ compressionLevel: 9, adaptiveFiltering: true }),
    jpg: () => image.jpeg({ quality: QUALITY, mozjpeg: true }),
    gif: () => image.gif(),
  }[format]();
  const { data, info } = await encoders.toBuffer({ resolveWithObject: true });
  if (data.length > MAX_IMAGE_BYTES) throw createTooLargeError();
  const height = info.pageHeight ?? info.height;
  const smallImage = sharp(data).resize({ width: 400, withoutEnlargement: true });
  const thumbnail = await smallImage.webp().toBuffer();
  return { bytes: data, thumbnail, format, is_animated: isAnimated, width: info.width, height };
}

function selectStoredFormat(
  { format, hasAlpha }: ImageInfo,
  isAnimated: boolean,
): Exclude<ImageFormat, 'webp'> {
  if (isAnimated) return 'gif';
  if (format !== 'webp') return format;
  return hasAlpha ? 'png' : 'jpg';
}

/** Detects the format from the first bytes, regardless of the file name. */
function readFormat(bytes: Buffer): ImageFormat | undefined {
  const head = bytes.toString('latin1', 0, 12);
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (head.startsWith('\xff\xd8\xff')) return 'jpg';
  if (/^GIF8[79]a/.test(head)) return 'gif';
  return /^RIFF.{4}WEBP$/s.test(head) ? 'webp' : undefined;
}
