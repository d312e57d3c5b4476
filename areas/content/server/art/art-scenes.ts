// Wide images of the templates: landscapes and scenes, 1200 by 675.
import type { Art } from './art.ts';

const WIDTH = 1200;
const HEIGHT = 675;

function scene(ground: string, ...shapes: string[]): Art {
  const background = `<rect width="${WIDTH}" height="${HEIGHT}" fill="${ground}"/>`;
  return { width: WIDTH, height: HEIGHT, svg: background + shapes.join('') };
}

const circle = (x: number, y: number, r: number, fill: string, extra = '') =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}" ${extra}/>`;
const box = (x: number, y: number, w: number, h: number, fill: string, r = 0, extra = '') =>
  `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${r}" fill="${fill}" ${extra}/>`;
const path = (d: string, fill: string, extra = '') => `<path d="${d}" fill="${fill}" ${extra}/>`;
const line = (d: string, stroke: string, width: number, extra = '') =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round" ${extra}/>`;

/** Draws with a fixed pseudorandom sequence, so that the image is always the same. */
function spread(count: number, draw: (i: number, a: number, b: number) => string): string {
  let seed = 7;
  const next = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  return Array.from({ length: count }, (_, i) => draw(i, next(), next())).join('');
}

const tree = (x: number, y: number, size: number, fill: string) =>
  box(x - size * 0.06, y - size * 0.3, size * 0.12, size * 0.32, '#5c4433') +
  path(
    `M${x} ${y - size * 1.5} L${x + size * 0.42} ${y - size * 0.25} L${x - size * 0.42} ${y - size * 0.25} Z`,
    fill,
  ) +
  path(
    `M${x} ${y - size * 1.9} L${x + size * 0.32} ${y - size * 0.95} L${x - size * 0.32} ${y - size * 0.95} Z`,
    fill,
  );

const confetti = (count: number, top: number, bottom: number, colors: string[]) =>
  spread(count, (i, a, b) => {
    const [x, y] = [a * WIDTH, top + b * (bottom - top)];
    const fill = colors[i % colors.length] as string;
    return i % 3 === 0
      ? circle(x, y, 9, fill)
      : box(x, y, 22, 10, fill, 3, `transform="rotate(${(i * 47) % 180} ${x} ${y})"`);
  });

const balloon = (x: number, y: number, r: number, fill: string) =>
  line(
    `M${x} ${y + r} C${x - 20} ${y + r + 90} ${x + 24} ${y + r + 150} ${x} ${y + r + 240}`,
    '#ffffff',
    3,
    'opacity="0.7"',
  ) +
  `<ellipse cx="${x}" cy="${y}" rx="${r * 0.84}" ry="${r}" fill="${fill}"/>` +
  `<ellipse cx="${x - r * 0.3}" cy="${y - r * 0.35}" rx="${r * 0.14}" ry="${r * 0.26}" fill="#ffffff" opacity="0.45"/>`;

export const SCENES: Record<string, Art> = {
  hills: scene(
    '#fbe3c4',
    circle(860, 230, 96, '#f2994a'),
    circle(860, 230, 150, '#f2994a', 'opacity="0.18"'),
    path('M0 430 C200 330 380 350 560 420 S940 330 1200 400 V675 H0 Z', '#b7c9a8'),
    path('M0 500 C220 420 420 520 640 470 S1000 440 1200 500 V675 H0 Z', '#7fa287'),
    path('M0 590 C260 520 520 610 760 560 S1080 560 1200 590 V675 H0 Z', '#3f6b5c'),
    tree(180, 560, 70, '#2b4f45'),
    tree(250, 585, 96, '#2b4f45'),
    tree(1010, 570, 88, '#2b4f45'),
    line('M430 190 q24 -22 44 0 q22 -22 46 0', '#8a6a4d', 5),
    line('M560 140 q18 -16 32 0 q16 -16 34 0', '#8a6a4d', 5),
  ),
  sea: scene(
    '#d7ecf3',
    circle(300, 180, 80, '#ffd27a'),
    path('M0 400 H1200 V675 H0 Z', '#4f9db5'),
    line(
      'M40 460 q40 -24 80 0 t80 0 t80 0 M620 440 q40 -24 80 0 t80 0 t80 0',
      '#ffffff',
      6,
      'opacity="0.6"',
    ),
    line(
      'M260 560 q40 -24 80 0 t80 0 t80 0 M820 570 q40 -24 80 0 t80 0',
      '#ffffff',
      6,
      'opacity="0.5"',
    ),
    path('M610 400 L830 400 L790 452 L650 452 Z', '#7a3b2e'),
    path('M712 380 V150 L830 380 Z', '#ffffff'),
    path('M700 380 V190 L622 380 Z', '#f26b4e'),
    path('M980 400 C1000 330 1080 300 1200 310 V400 Z', '#6f8f6d'),
  ),
  city: scene(
    '#2a2d52',
    circle(980, 150, 62, '#ffe6a8'),
    spread(40, (_, a, b) => circle(a * 1200, b * 320, 3, '#ffffff', 'opacity="0.7"')),
    box(80, 300, 130, 375, '#3c4077'),
    box(220, 220, 150, 455, '#4a4f91'),
    box(380, 340, 120, 335, '#3c4077'),
    box(510, 160, 140, 515, '#5a60ad'),
    box(660, 280, 160, 395, '#4a4f91'),
    box(830, 360, 120, 315, '#3c4077'),
    box(960, 260, 160, 415, '#5a60ad'),
    spread(60, (i, a, b) =>
      box(
        100 + Math.floor(a * 25) * 40,
        400 + Math.floor(b * 7) * 36,
        14,
        18,
        i % 3 ? '#ffd27a' : '#8f94d6',
        2,
      ),
    ),
    box(0, 640, 1200, 35, '#1d1f3d'),
  ),
  party: scene(
    '#ef6f5e',
    confetti(70, 0, 675, ['#ffd27a', '#ffffff', '#7b2d5b', '#ffb199']),
    balloon(420, 250, 110, '#7b2d5b'),
    balloon(610, 200, 130, '#ffd27a'),
    balloon(800, 270, 104, '#ffffff'),
  ),
  cake: scene(
    '#fde4e1',
    confetti(36, 20, 360, ['#ef6f5e', '#7b2d5b', '#f2b84b', '#6aa6a0']),
    box(330, 560, 540, 26, '#c9a58b', 13),
    box(390, 400, 420, 160, '#ffffff', 22),
    path(
      'M390 440 q35 46 70 0 t70 0 t70 0 t70 0 t70 0 t70 0 V422 a22 22 0 0 0 -22 -22 H412 a22 22 0 0 0 -22 22 Z',
      '#ef6f5e',
    ),
    box(480, 290, 240, 110, '#fff6e8', 18),
    path(
      'M480 324 q30 38 60 0 t60 0 t60 0 t60 0 V308 a18 18 0 0 0 -18 -18 H498 a18 18 0 0 0 -18 18 Z',
      '#7b2d5b',
    ),
    ...[530, 600, 670].map(
      (x) =>
        box(x - 7, 220, 14, 70, '#6aa6a0', 4) +
        path(
          `M${x} 160 C${x + 22} 190 ${x + 16} 214 ${x} 214 C${x - 16} 214 ${x - 22} 190 ${x} 160 Z`,
          '#f2b84b',
        ),
    ),
  ),
  gifts: scene(
    '#dfe9e4',
    box(250, 330, 260, 240, '#2f6f62', 10),
    box(236, 290, 288, 62, '#3b8677', 10),
    box(358, 290, 44, 280, '#f2b84b'),
    line(
      'M380 286 C300 220 290 170 340 176 C372 182 380 240 380 286 C380 240 392 182 424 176 C474 170 462 220 380 286',
      '#f2b84b',
      16,
    ),
    box(560, 410, 200, 160, '#d9553f', 10),
    box(548, 376, 224, 52, '#e56c57', 10),
    box(642, 376, 36, 194, '#ffffff'),
    line(
      'M660 372 C610 330 600 294 636 300 C656 304 660 340 660 372 C660 340 666 304 686 300 C722 294 712 330 660 372',
      '#ffffff',
      12,
    ),
    box(810, 280, 160, 290, '#3d4a7a', 10),
    box(798, 246, 184, 54, '#4d5c93', 10),
    box(876, 246, 30, 324, '#f6d9c9'),
    box(120, 568, 960, 10, '#b9cbc3', 5),
  ),
  winter: scene(
    '#c9dcea',
    circle(920, 170, 70, '#ffffff'),
    path('M0 440 C240 360 480 450 700 400 S1060 380 1200 430 V675 H0 Z', '#e4eef5'),
    path('M0 540 C280 470 560 560 820 510 S1100 500 1200 530 V675 H0 Z', '#ffffff'),
    tree(190, 520, 120, '#2f5d62'),
    tree(320, 560, 170, '#3b7076'),
    tree(960, 540, 150, '#2f5d62'),
    tree(1080, 570, 110, '#3b7076'),
    box(540, 400, 190, 130, '#a6543f'),
    path('M516 408 L635 300 L754 408 Z', '#ffffff'),
    box(612, 450, 50, 80, '#5d2e22'),
    box(566, 430, 32, 36, '#ffd27a', 3),
    box(678, 430, 32, 36, '#ffd27a', 3),
    spread(60, (_, a, b) => circle(a * 1200, b * 480, 5, '#ffffff', 'opacity="0.9"')),
  ),
  blossom: scene(
    '#f8dfe6',
    line('M-20 520 C220 470 360 380 520 330 S880 250 1220 150', '#6b4a3f', 16),
    line('M430 366 C470 280 540 230 620 190 M760 280 C800 340 860 380 950 400', '#6b4a3f', 9),
    ...[
      [150, 478],
      [300, 432],
      [420, 372],
      [520, 250],
      [618, 190],
      [640, 300],
      [770, 282],
      [862, 366],
      [950, 400],
      [980, 216],
      [1100, 180],
    ].map(
      ([x = 0, y = 0], i) =>
        [0, 72, 144, 216, 288]
          .map(
            (angle) =>
              `<ellipse cx="${x}" cy="${y - 24}" rx="18" ry="26" fill="${i % 2 ? '#ffffff' : '#ef9fb4'}" transform="rotate(${angle} ${x} ${y})"/>`,
          )
          .join('') + circle(x, y, 10, '#f2b84b'),
    ),
  ),
  stage: scene(
    '#1f2140',
    path('M0 0 L300 0 L520 675 L180 675 Z', '#5b5fc7', 'opacity="0.35"'),
    path('M1200 0 L900 0 L680 675 L1020 675 Z', '#e8622c', 'opacity="0.35"'),
    path('M520 0 L680 0 L760 675 L440 675 Z', '#ffffff', 'opacity="0.14"'),
    box(180, 500, 840, 30, '#5b5fc7', 6),
    box(240, 530, 720, 145, '#2d3061'),
    line('M600 500 V330', '#c9cbe8', 10),
    line('M540 500 H660', '#c9cbe8', 12),
    box(576, 236, 48, 100, '#ffffff', 24),
    line('M576 270 H624 M576 296 H624', '#9a9dd6', 5),
    ...[90, 210, 330, 450, 570, 690, 810, 930, 1050, 1150].map((x, i) =>
      circle(x, 640 + (i % 2) * 16, 52, '#12132b'),
    ),
  ),
  screen: scene(
    '#e6e9fb',
    box(240, 110, 720, 430, '#23264d', 22),
    box(268, 138, 664, 374, '#ffffff', 8),
    box(268, 138, 440, 374, '#5b6be8', 8),
    circle(488, 290, 70, '#ffd9c2'),
    path('M358 512 C360 410 420 376 488 376 C556 376 616 410 618 512 Z', '#2b2f63'),
    path('M418 280 C414 196 562 196 558 280 C536 250 446 246 418 280 Z', '#4a2c2a'),
    box(736, 166, 168, 92, '#f0f1fb', 8),
    box(736, 276, 168, 92, '#f0f1fb', 8),
    box(736, 386, 168, 92, '#f0f1fb', 8),
    circle(820, 206, 20, '#e8622c'),
    circle(820, 316, 20, '#2a8fa8'),
    circle(820, 426, 20, '#8a4fbf'),
    box(540, 540, 120, 50, '#3a3e75'),
    box(440, 584, 320, 20, '#3a3e75', 10),
  ),
  letter: scene(
    '#e9edf9',
    path('M300 250 H900 V560 a20 20 0 0 1 -20 20 H320 a20 20 0 0 1 -20 -20 Z', '#ffffff'),
    path('M300 270 L600 60 L900 270 V300 L600 470 L300 300 Z', '#3b4fe4'),
    box(380, 130, 440, 320, '#ffffff', 12),
    line('M430 190 H640 M430 240 H770 M430 285 H770 M430 330 H700', '#c8cde8', 12),
    path(
      'M300 300 L600 480 L900 300 V560 a20 20 0 0 1 -20 20 H320 a20 20 0 0 1 -20 -20 Z',
      '#dfe4fb',
    ),
    path(
      'M300 572 L560 410 L600 434 L640 410 L900 572 a20 20 0 0 1 -20 8 H320 a20 20 0 0 1 -20 -8 Z',
      '#f4f6ff',
    ),
    circle(850, 150, 40, '#e8622c'),
    line('M834 150 l12 12 l22 -24', '#ffffff', 8),
  ),
  table: scene(
    '#efe3d3',
    circle(600, 340, 236, '#ffffff'),
    circle(600, 340, 180, '#f6f1ea'),
    path(
      'M500 320 C520 250 640 240 690 300 C740 360 700 430 620 430 C540 430 480 390 500 320 Z',
      '#d9763f',
    ),
    path('M560 300 C600 260 660 270 680 310 C640 300 600 300 560 300 Z', '#8fae5d'),
    circle(570, 372, 26, '#c23b2e'),
    circle(640, 384, 22, '#c23b2e'),
    circle(610, 336, 18, '#f2d15c'),
    line('M250 170 V300 M220 170 V240 a30 34 0 0 0 60 0 V170 M250 300 V540', '#8d8378', 14),
    line('M950 540 V170 C990 190 996 320 950 340', '#8d8378', 14),
    circle(1050, 130, 60, '#c9dfc0'),
    circle(150, 590, 70, '#c9dfc0'),
  ),
  parcel: scene(
    '#e3ecf7',
    box(0, 560, 1200, 115, '#b9c6da'),
    line('M60 618 H200 M300 618 H440 M540 618 H680 M780 618 H920 M1020 618 H1160', '#ffffff', 10),
    path('M300 300 H720 V540 H300 Z', '#3b4fe4'),
    path('M720 370 H850 L920 450 V540 H720 Z', '#5468f0'),
    path('M750 396 H840 L884 450 H750 Z', '#dce6ff'),
    circle(420, 545, 54, '#23264d'),
    circle(420, 545, 22, '#c8cde8'),
    circle(810, 545, 54, '#23264d'),
    circle(810, 545, 22, '#c8cde8'),
    box(400, 350, 170, 140, '#e0b184', 6),
    box(466, 350, 38, 140, '#f1d2b0'),
    line('M120 340 H240 M80 410 H240 M150 480 H240', '#9fb0cc', 10),
  ),
  talk: scene(
    '#fdf0dc',
    path(
      'M220 140 H700 a40 40 0 0 1 40 40 V340 a40 40 0 0 1 -40 40 H400 L310 460 V380 H220 a40 40 0 0 1 -40 -40 V180 a40 40 0 0 1 40 -40 Z',
      '#e8622c',
    ),
    ...[300, 380, 460, 540, 620].map((x) => path(star(x, 260, 34), '#fff4e4')),
    path(
      'M620 320 H960 a36 36 0 0 1 36 36 V490 a36 36 0 0 1 -36 36 H930 V596 L850 526 H620 a36 36 0 0 1 -36 -36 V356 a36 36 0 0 1 36 -36 Z',
      '#3d4a7a',
    ),
    line('M650 386 H920 M650 430 H920 M650 474 H820', '#c9d0f0', 14),
  ),
  launch: scene(
    '#141a3c',
    spread(60, (_, a, b) => circle(a * 1200, b * 675, 2 + b * 2, '#ffffff', 'opacity="0.8"')),
    circle(1000, 560, 240, '#2b3570'),
    circle(1000, 560, 300, '#2b3570', 'opacity="0.4"'),
    `<g transform="rotate(32 600 330)">${
      path('M600 90 C680 170 690 320 660 430 H540 C510 320 520 170 600 90 Z', '#ffffff') +
      path('M540 330 L470 430 L545 420 Z M660 330 L730 430 L655 420 Z', '#e8622c') +
      circle(600, 240, 40, '#5b8def') +
      circle(600, 240, 26, '#bcd4ff') +
      path('M560 440 H640 L600 580 Z', '#ffb454') +
      path('M580 440 H620 L600 520 Z', '#fff2c9')
    }</g>`,
  ),
  doors: scene(
    '#d8e4dc',
    box(0, 560, 1200, 115, '#b5c7bb'),
    box(420, 120, 360, 440, '#7f4f3a', 8),
    path('M450 150 H750 V560 H450 Z', '#fff1cf'),
    path('M450 150 L620 200 V610 L450 560 Z', '#c06b45'),
    circle(596, 400, 12, '#ffd27a'),
    path('M620 610 L750 560 H900 L820 675 H560 Z', '#fff1cf', 'opacity="0.5"'),
    box(220, 430, 90, 130, '#c06b45', 10),
    path(
      'M265 430 C200 360 190 280 250 250 C262 310 262 380 265 430 Z M265 430 C330 370 350 290 290 240 C272 300 266 380 265 430 Z M265 430 C262 340 262 280 268 200 C300 270 290 370 265 430 Z',
      '#4f8a67',
    ),
    box(890, 430, 90, 130, '#c06b45', 10),
    path(
      'M935 430 C870 360 860 280 920 250 C932 310 932 380 935 430 Z M935 430 C1000 370 1020 290 960 240 C942 300 936 380 935 430 Z',
      '#4f8a67',
    ),
  ),
  cart: scene(
    '#efe5da',
    box(0, 560, 1200, 115, '#dccbb8'),
    path('M430 250 H840 L790 450 H470 Z', '#b9764d'),
    path('M450 330 H822 L812 370 H459 Z', '#cf8c62'),
    line('M330 180 H400 L480 490 H800', '#7a4a32', 22),
    circle(520, 545, 34, '#3e2618'),
    circle(520, 545, 13, '#efe5da'),
    circle(760, 545, 34, '#3e2618'),
    circle(760, 545, 13, '#efe5da'),
    box(500, 150, 110, 100, '#e0b184', 8),
    box(545, 150, 20, 100, '#f6e3cd'),
    path('M650 250 V170 a38 38 0 0 1 76 0 V250 Z', '#4f8a67'),
    box(748, 190, 60, 60, '#c85a3c', 8),
  ),
  shelf: scene(
    '#efe5da',
    box(180, 300, 840, 22, '#7a4a32', 6),
    box(180, 540, 840, 22, '#7a4a32', 6),
    path('M250 180 H370 V270 a30 30 0 0 1 -30 30 H280 a30 30 0 0 1 -30 -30 Z', '#dd6b4a'),
    line('M370 210 C420 205 420 265 368 265', '#c85a3c', 16),
    box(480, 130, 90, 170, '#3f8ea0', 16),
    box(500, 104, 50, 34, '#274653', 8),
    path('M690 300 L670 200 H790 L770 300 Z', '#c9744e'),
    path('M730 200 C690 160 690 110 720 80 C740 120 740 160 730 200 Z', '#4f8a67'),
    path('M732 200 C780 170 790 120 770 90 C740 120 732 160 732 200 Z', '#5a9a72'),
    box(870, 150, 80, 150, '#4656c9', 6),
    box(890, 180, 40, 30, '#ffffff', 4),
    path('M270 400 H430 L450 540 H250 Z', '#b9764d'),
    line('M310 400 C310 340 390 340 390 400', '#7a4a32', 14),
    box(550, 420, 160, 120, '#e0b184', 8),
    box(616, 420, 28, 120, '#f6e3cd'),
    box(820, 400, 110, 140, '#ffffff', 14),
    box(820, 450, 110, 50, '#e7a9bc'),
  ),
  gift: scene(
    '#efe5da',
    box(0, 560, 1200, 115, '#dccbb8'),
    box(430, 300, 340, 260, '#b9764d', 10),
    box(410, 260, 380, 80, '#cf8c62', 10),
    box(570, 260, 60, 300, '#fff4e4'),
    path('M600 260 C520 250 470 200 500 165 C540 140 590 200 600 260 Z', '#c85a3c'),
    path('M600 260 C680 250 730 200 700 165 C660 140 610 200 600 260 Z', '#c85a3c'),
    circle(600, 258, 22, '#7a4a32'),
  ),
  stars: scene(
    '#efe5da',
    path(
      'M290 170 H910 a40 40 0 0 1 40 40 V400 a40 40 0 0 1 -40 40 H640 L540 530 V440 H290 a40 40 0 0 1 -40 -40 V210 a40 40 0 0 1 40 -40 Z',
      '#7a4a32',
    ),
    ...[360, 480, 600, 720, 840].map((x) => path(star(x, 305, 44), '#fff4e4')),
  ),
  paper: scene(
    '#f2efe8',
    box(170, 90, 400, 500, '#ffffff', 6, 'transform="rotate(-4 370 340)"'),
    box(620, 80, 400, 500, '#ffffff', 6, 'transform="rotate(3 820 330)"'),
    `<g transform="rotate(-4 370 340)">${box(210, 130, 320, 150, '#c9d7e8', 4)}${line('M210 320 H500 M210 356 H530 M210 392 H530 M210 428 H460 M210 480 H530 M210 516 H420', '#d5d0c4', 12)}</g>`,
    `<g transform="rotate(3 820 330)">${line('M660 130 H900', '#33363d', 22)}${line('M660 190 H960 M660 226 H980 M660 262 H980', '#d5d0c4', 12)}${box(660, 300, 150, 150, '#e8b69a', 4)}${line('M840 310 H980 M840 346 H980 M840 382 H960 M840 418 H980 M660 490 H980 M660 526 H900', '#d5d0c4', 12)}</g>`,
  ),
};

function star(x: number, y: number, r: number): string {
  const points = Array.from({ length: 10 }, (_, i) => {
    const angle = (Math.PI / 5) * i - Math.PI / 2;
    const length = i % 2 === 0 ? r : r * 0.42;
    return `${(x + Math.cos(angle) * length).toFixed(1)} ${(y + Math.sin(angle) * length).toFixed(1)}`;
  });
  return `M${points.join(' L')} Z`;
}
