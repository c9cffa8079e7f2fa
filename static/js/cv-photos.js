// Photos of a CV's pages become one PDF: each is redrawn as a JPEG, upright and without the camera's metadata, and fits an A4
// sheet at 200 dots per inch. Loaded only when somebody chooses photos.

const [SHORT, LONG] = [1654, 2339]; // dots of an A4 sheet
const [WIDE, HIGH] = [595, 842]; // points of an A4 sheet
const QUALITY = 0.85; // of a page as it is kept in this tab
const STEPS = [[1, 0.75], [1, 0.6], [0.85, 0.6], [0.75, 0.55], [0.65, 0.5], [0.5, 0.45]]; // [size, quality], until it fits
const ENOUGH = 3 * 1024 * 1024; // bytes of a PDF that a phone sends in reasonable time
const EACH = 400 * 1024; // bytes that a page may have even if the PDF becomes larger than that
const FRAME = 1000; // bytes of a page without its picture
const PREVIEW = 480; // dots

// Decodes one photo, which takes 50 MB or more of memory, and keeps a page of about 1 MB. turns: quarters, clockwise.
export async function open(photo) {
  const bitmap = await createImageBitmap(photo); // turned upright by the browser
  try {
    const [short, long] = bitmap.width > bitmap.height ? [LONG, SHORT] : [SHORT, LONG];
    const page = await encode(bitmap, Math.min(1, short / bitmap.width, long / bitmap.height), QUALITY);
    const preview = draw(bitmap, Math.min(1, PREVIEW / Math.max(bitmap.width, bitmap.height)));
    return { ...page, preview, turns: 0 };
  } finally {
    bitmap.close();
  }
}

// most: bytes of the PDF. An error if the pages do not fit even at the lowest quality.
export async function asPdf(pages, most, name) {
  const room = Math.min(most, Math.max(ENOUGH, EACH * pages.length)) - FRAME * (pages.length + 1);
  const share = fairShare(pages.map(({ jpeg }) => jpeg.size), room);
  const fitting = [];
  for (const page of pages) fitting.push(await fit(page, share));
  return new File([write(fitting)], name, { type: "application/pdf" });
}

// The maximum bytes of one page: bytes that small pages do not need are available to large ones.
function fairShare(sizes, room) {
  let [left, share] = [room, room];
  for (const [at, size] of [...sizes].sort((a, b) => a - b).entries()) {
    share = left / (sizes.length - at);
    left -= Math.min(size, share);
  }
  return share;
}

async function fit(page, most) {
  if (page.jpeg.size <= most) return page;
  const bitmap = await createImageBitmap(page.jpeg);
  try {
    for (const [scale, quality] of STEPS) {
      const smaller = await encode(bitmap, scale, quality);
      if (smaller.jpeg.size <= most) return { ...page, ...smaller };
    }
  } finally {
    bitmap.close();
  }
  throw new Error("a page is too large");
}

function draw(bitmap, scale) {
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  const paper = canvas.getContext("2d");
  paper.fillStyle = "#fff";
  paper.fillRect(0, 0, canvas.width, canvas.height);
  paper.imageSmoothingQuality = "high";
  paper.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas;
}

async function encode(bitmap, scale, quality) {
  const canvas = draw(bitmap, scale);
  const { width, height } = canvas;
  const jpeg = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
  canvas.width = 0; // frees its memory at once
  if (!jpeg) throw new Error("no memory for another page");
  return { jpeg, width, height };
}

// Objects: 1 the catalogue, 2 the list of pages, and from 3 on each page with its content stream and its picture.
function write(pages) {
  const parts = ["%PDF-1.4\n"];
  const places = [];
  let at = parts[0].length;
  const add = (...more) => {
    parts.push(...more);
    for (const one of more) at += one.size ?? one.length;
  };
  const object = (...body) => {
    places.push(at);
    add(`${places.length} 0 obj\n`, ...body, "\nendobj\n");
  };
  object("<</Type/Catalog/Pages 2 0 R>>");
  object(`<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, n) => `${3 * n + 3} 0 R`).join(" ")}]>>`);
  for (const { jpeg, width, height, turns } of pages) {
    const [wide, high] = width > height ? [HIGH, WIDE] : [WIDE, HIGH];
    const scale = Math.min(wide / width, high / height);
    const [w, h] = [width * scale, height * scale].map((n) => n.toFixed(2));
    const [x, y] = [(wide - w) / 2, (high - h) / 2].map((n) => n.toFixed(2));
    const drawing = `q ${w} 0 0 ${h} ${x} ${y} cm /P Do Q`;
    const own = places.length + 1;
    object(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${wide} ${high}]/Rotate ${90 * turns}/Contents ${own + 1} 0 R`,
      `/Resources<</XObject<</P ${own + 2} 0 R>>>>>>`,
    );
    object(`<</Length ${drawing.length}>>stream\n${drawing}\nendstream`);
    object(
      `<</Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceRGB/BitsPerComponent 8`,
      `/Filter/DCTDecode/Length ${jpeg.size}>>stream\n`,
      jpeg,
      "\nendstream",
    );
  }
  const table = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const size = places.length + 1;
  const start = at;
  add(`xref\n0 ${size}\n0000000000 65535 f \n${table}trailer<</Size ${size}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`);
  return new Blob(parts);
}
