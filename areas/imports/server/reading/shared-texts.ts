// The shared strings of a workbook, packed into one growing buffer.

import { ZipError } from '#platform/server/files/zip.ts';
import { appendCellText, type XmlHandler } from './xml.ts';

/**
 * Reads `sharedStrings.xml`. Strings are looked up by index; runs of formatted text are joined, and
 * phonetic readings (rPh) are skipped. One buffer and one offset table hold all strings, which
 * would take four times the memory as JavaScript strings.
 */
export class SharedTexts implements XmlHandler {
  private bytes: Buffer = Buffer.allocUnsafe(64 * 1024);
  private length = 0;
  private offsets = new Uint32Array(4096);
  private count = 0;
  private current = '';
  private isInText = false;
  private isInPhonetic = false;
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  get(index: number): string {
    if (!(index >= 0 && index < this.count)) return '';
    return this.bytes.toString('utf8', this.offsets[index], this.offsets[index + 1]);
  }

  onOpenTag(name: string): void {
    if (name === 't') this.isInText = true;
    else if (name === 'rPh') this.isInPhonetic = true;
    else if (name === 'si') this.current = '';
  }

  onCloseTag(name: string): void {
    if (name === 't') this.isInText = false;
    else if (name === 'rPh') this.isInPhonetic = false;
    else if (name === 'si') {
      this.add(this.current);
      this.current = '';
    }
  }

  onText(value: string): void {
    this.current = appendCellText(this.current, value);
  }

  wantsText(): boolean {
    return this.isInText && !this.isInPhonetic;
  }

  private add(text: string): void {
    const capacity = this.length + text.length * 3;
    if (capacity > this.bytes.length) this.bytes = growBuffer(this.bytes, capacity);
    this.length += this.bytes.write(text, this.length);
    this.count += 1;
    if (this.count === this.offsets.length) {
      const larger = new Uint32Array(this.offsets.length * 2);
      larger.set(this.offsets);
      this.offsets = larger;
    }
    this.offsets[this.count] = this.length;
    if (this.length + this.count * 4 > this.limit) throw new ZipError('too_large', 'shared texts');
  }
}

function growBuffer(bytes: Buffer, capacity: number): Buffer {
  const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, capacity));
  bytes.copy(larger);
  return larger;
}
