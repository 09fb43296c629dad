/* boolfact_check: checks what a run of boolfact claims, with nothing but this file.

   Build:  cc -std=c99 -Wall -Wextra -Werror -O2 -o boolfact_check boolfact_check.c
   Use:    boolfact_check FOLDER [SECONDS]

   FOLDER is what `boolfact certificate RUN --text` writes:
     data.txt         the matrix: a line per row, each entry 0, 1 or ? (missing)
     weights.txt      a line of whole numbers per row; without the file, every observed entry weighs 1
     factors.txt      the factors A and B, and what is claimed of them
     certificate.txt  what proves the claimed bounds; without the file, nothing is proved
   Exit code: 0 every claim holds, 1 a claim is refused, 2 the input is malformed, 3 a search was not
   finished in SECONDS of processor time (600 unless given), and nothing was refused.

   Notation. An entry of weight 0 counts as missing. A rectangle is a set of rows and a set of columns; a
   factorisation of rank k is the union of k rectangles. Its error is the weight of the ones that are not
   covered and of the zeros that are. Its objective MIP(rho) is the weight of the ones that are not covered
   and rho times the weight of a zero for every rectangle that covers it.

   Arithmetic. Every number that is read, and every sum, is kept below 2^62 in absolute value or refused. A
   product of two such numbers is formed in 128 bits. So nothing overflows. */

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int64_t num;
__extension__ typedef __int128 wide;

#define LIMIT ((num)1 << 62)
#define MOST_RHO ((num)1 << 31)   /* numerator and denominator of rho are below this */
#define MOST_ROWS 12              /* of a block */
#define FEW_COLUMNS 24            /* of a part of single rows, up to which it is walked through */
#define MOST_COLUMNS 60           /* of a part that is walked through; more are hopeless */
#define MOST_GROUP 64             /* columns of a group, whose rows are the bits of a word */
#define MOST_CIRCLE 4096          /* columns of a search around the circle, which recurses as deep */
#define MOST_WEIGHT 1000000       /* of a place on the circle of a part */
#define MOST_PATTERNS 16          /* of a search over columns, which has 2^k codes for every row */
#define MOST_SUMS ((num)1 << 28)  /* numbers that a search over columns may hold */
#define MOST_CHOSEN 12            /* sets of columns of a choice, which have 2^k unions */
#define MOST_LISTED ((num)1 << 21) /* sets of columns that are worth enough at the first point */
#define MOST_SETS 12000           /* sets of columns of which all pairs are weighed */
#define MOST_TRIES 20000          /* for one pair of sets and block: then a larger value must do */

enum { HOLDS = 0, REFUSED = 1, MALFORMED = 2, OPEN = 3 };

/* ---------------------------------------------------------------- endings, memory, time */

static void end_with(int code, const char *word, const char *format, va_list values) {
    printf("%-12s ", word);
    vprintf(format, values);
    printf("\n%s\n", code == REFUSED ? "REFUSED: a claim does not hold" : "MALFORMED: the input cannot be read");
    exit(code);
}

static void refuse(const char *format, ...) {
    va_list values;
    va_start(values, format);
    end_with(REFUSED, "REFUSED", format, values);
}

static void malformed(const char *format, ...) {
    va_list values;
    va_start(values, format);
    end_with(MALFORMED, "malformed", format, values);
}

static void say(const char *word, const char *format, ...) {
    va_list values;
    va_start(values, format);
    printf("%-12s ", word);
    vprintf(format, values);
    printf("\n");
    va_end(values);
    fflush(stdout);
}

/* What is taken is zeroed, and given back in the opposite order, down to a mark. */
typedef union Piece { union Piece *before; num whole; long double real; } Piece;
static Piece *taken = NULL;

#define TAKE(count, type) ((type *)take((size_t)(count), sizeof(type)))

static void *take(size_t count, size_t size) {
    if (count > (SIZE_MAX / 2 - sizeof(Piece)) / size) malformed("not enough memory");
    Piece *piece = calloc(1, sizeof(Piece) + (count ? count : 1) * size);
    if (!piece) malformed("not enough memory");
    piece->before = taken;
    taken = piece;
    return piece + 1;
}

static void give_back(Piece *mark) {
    while (taken != mark) {
        Piece *before = taken->before;
        free(taken);
        taken = before;
    }
}

static double seconds = 600;
static num nodes = 0;

static int late(void) {
    return ++nodes % 256 == 0 && (double)clock() / CLOCKS_PER_SEC > seconds;
}

static wide ceiling(wide a, wide b) { /* of a / b, b > 0 */
    return a / b + (a % b > 0);
}

static num small(wide x, const char *what) {
    if (x >= LIMIT || x <= -LIMIT) refuse("%s: the figures are too large", what);
    return (num)x;
}

/* ---------------------------------------------------------------- SHA-256 (FIPS 180-4) */

typedef struct { uint32_t h[8]; unsigned char block[64]; uint64_t length; } Sha;

static uint32_t turn(uint32_t x, int bits) { return x >> bits | x << (32 - bits); }

/* The first 32 bits of the fractional part of the root of p, by bisection in whole numbers: the
   constants of SHA-256 are those of the square and cube roots of the first primes. */
static uint32_t root_bits(uint32_t p, int cube) {
    wide low = 0, high = (wide)1 << 37;
    while (high - low > 1) {
        wide x = (low + high) / 2;
        /* x / 2^32 against the root: x^2 against p 2^64, or x^3 against p 2^96. */
        int below = cube ? x * x * x <= (wide)p << 96 : x * x <= (wide)p << 64;
        if (below) low = x; else high = x;
    }
    return (uint32_t)low;
}

static uint32_t prime(int index) {
    for (uint32_t p = 2;; p++) {
        int divided = 0;
        for (uint32_t d = 2; d * d <= p; d++) divided |= p % d == 0;
        if (!divided && index-- == 0) return p;
    }
}

static void sha_start(Sha *s) {
    memset(s, 0, sizeof *s);
    for (int i = 0; i < 8; i++) s->h[i] = root_bits(prime(i), 0);
}

static void sha_block(Sha *s) {
    static uint32_t k[64];
    uint32_t w[64], v[8];
    if (!k[0]) for (int i = 0; i < 64; i++) k[i] = root_bits(prime(i), 1);
    for (int i = 0; i < 64; i++) {
        if (i < 16) {
            const unsigned char *b = s->block + 4 * i;
            w[i] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
        } else {
            uint32_t x = w[i - 15], y = w[i - 2];
            w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ x >> 3) + w[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ y >> 10);
        }
    }
    memcpy(v, s->h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t a = v[0], e = v[4];
        uint32_t t = v[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & v[5]) ^ (~e & v[6])) + k[i] + w[i];
        uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t;
        v[0] = t + u;
    }
    for (int i = 0; i < 8; i++) s->h[i] += v[i];
}

static void sha_add(Sha *s, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        s->block[s->length++ % 64] = ((const unsigned char *)bytes)[i];
        if (s->length % 64 == 0) sha_block(s);
    }
}

static void sha_add_number(Sha *s, num x) { /* eight bytes, lowest first */
    for (int i = 0; i < 8; i++) {
        unsigned char byte = (unsigned char)((uint64_t)x >> 8 * i);
        sha_add(s, &byte, 1);
    }
}

static void sha_text(Sha *s, char text[65]) {
    uint64_t bits = 8 * s->length;
    sha_add(s, "\x80", 1);
    while (s->length % 64 != 56) sha_add(s, "", 1);
    for (int i = 7; i >= 0; i--) {
        unsigned char byte = (unsigned char)(bits >> 8 * i);
        sha_add(s, &byte, 1);
    }
    for (int i = 0; i < 8; i++) snprintf(text + 8 * i, 9, "%08" PRIx32, s->h[i]);
}

/* ---------------------------------------------------------------- reading */

typedef struct { const char *name, *at, *end; num line; } Reader;
typedef struct { num top, bottom; } Fraction; /* in lowest terms, bottom > 0 */

static int open_text(Reader *r, const char *folder, const char *name) {
    size_t size = strlen(folder) + strlen(name) + 2, length = 0, room = 1 << 16;
    char *path = TAKE(size, char), *text = TAKE(room, char);
    snprintf(path, size, "%s/%s", folder, name);
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT) return 0;
    if (!file) malformed("%s cannot be opened", path);
    for (size_t got; (got = fread(text + length, 1, room - length, file)) > 0;) {
        length += got;
        if (length == room) {
            char *larger = TAKE(2 * room, char);
            memcpy(larger, text, length);
            text = larger;
            room *= 2;
        }
    }
    if (ferror(file)) malformed("%s cannot be read", path);
    fclose(file);
    *r = (Reader){name, text, text + length, 1};
    return 1;
}

static void expected(const Reader *r, const char *what) {
    malformed("%s, line %" PRId64 ": expected %s", r->name, r->line, what);
}

static void sign(Reader *r, char c) { /* this very character: a space, a line end */
    if (r->at == r->end || *r->at != c) expected(r, c == '\n' ? "the end of the line" : "a space");
    r->at++;
    r->line += c == '\n';
}

static int next_is(const Reader *r, const char *word) {
    size_t length = strlen(word);
    return (size_t)(r->end - r->at) >= length && memcmp(r->at, word, length) == 0;
}

static void word(Reader *r, const char *expected_word) {
    if (!next_is(r, expected_word)) expected(r, expected_word);
    r->at += strlen(expected_word);
}

static void line(Reader *r, const char *expected_line) { word(r, expected_line); sign(r, '\n'); }

static num digits(Reader *r, num least) {
    int minus = r->at < r->end && *r->at == '-';
    num x = 0;
    r->at += minus;
    if (r->at == r->end || *r->at < '0' || *r->at > '9') expected(r, "a whole number");
    for (; r->at < r->end && *r->at >= '0' && *r->at <= '9'; r->at++) {
        if (x > (LIMIT - 10) / 10) expected(r, "a number below 2^62");
        x = 10 * x + (*r->at - '0');
    }
    if (minus) x = -x;
    if (x < least) malformed("%s, line %" PRId64 ": expected at least %" PRId64, r->name, r->line, least);
    return x;
}

static num number(Reader *r, num least, char after) { /* and the character that must follow it */
    num x = digits(r, least);
    sign(r, after);
    return x;
}

static num field(Reader *r, const char *name, num least) { /* "name number", a line */
    word(r, name);
    sign(r, ' ');
    return number(r, least, '\n');
}

static Fraction fraction_field(Reader *r, const char *name) { /* "name a/b" or "name a", a line */
    word(r, name);
    sign(r, ' ');
    Fraction f = {digits(r, -LIMIT), 1};
    if (r->at < r->end && *r->at == '/') {
        r->at++;
        f.bottom = digits(r, 1);
    }
    sign(r, '\n');
    num a = f.top < 0 ? -f.top : f.top, b = f.bottom;
    while (b) { num c = a % b; a = b; b = c; }
    f.top /= a;
    f.bottom /= a;
    return f;
}

static Fraction rho_field(Reader *r) {
    Fraction rho = fraction_field(r, "rho");
    if (rho.top <= 0 || rho.top >= MOST_RHO || rho.bottom >= MOST_RHO)
        refuse("%s: rho must be above 0, in numbers below 2^31", r->name);
    return rho;
}

static void digest_field(Reader *r, const char *digest) {
    word(r, "digest");
    sign(r, ' ');
    if (!next_is(r, digest)) refuse("%s: it is for other data: the digests differ", r->name);
    r->at += strlen(digest);
    sign(r, '\n');
}

/* The last line is "seal" and the SHA-256 of everything before it. */
static void open_seal(Reader *r) {
    char text[65];
    Sha s;
    if (r->end - r->at < 71 || memcmp(r->end - 71, "\nseal ", 6)) malformed("%s: the seal is missing", r->name);
    sha_start(&s);
    sha_add(&s, r->at, (size_t)(r->end - 70 - r->at));
    sha_text(&s, text);
    if (memcmp(r->end - 65, text, 64) || r->end[-1] != '\n') refuse("%s: it was changed after it was sealed", r->name);
    r->end -= 70;
}

static void finish(const Reader *r) { if (r->at != r->end) expected(r, "the end"); }

static char *read_bits(Reader *r, num n, num m) {
    if ((r->end - r->at) / n < m + 1) expected(r, "more lines of zeros and ones");
    char *bits = TAKE(n * m, char);
    for (num i = 0; i < n; i++) {
        for (num j = 0; j < m; j++, r->at++) {
            if (r->at == r->end || (*r->at != '0' && *r->at != '1')) expected(r, "0 or 1");
            bits[i * m + j] = *r->at == '1';
        }
        sign(r, '\n');
    }
    return bits;
}

/* ---------------------------------------------------------------- the data */

typedef struct { num n, m; signed char *value; num *weight; } Matrix; /* value -1: missing */

static Matrix new_matrix(num n, num m) {
    if (m > LIMIT / n) malformed("not enough memory");
    return (Matrix){n, m, TAKE(n * m, signed char), TAKE(n * m, num)};
}

/* The SHA-256 of shape, values and weights. */
static void digest_of(const Matrix *x, char digest[70]) {
    Sha s;
    sha_start(&s);
    sha_add_number(&s, x->n);
    sha_add_number(&s, x->m);
    sha_add(&s, x->value, (size_t)(x->n * x->m));
    for (num at = 0; at < x->n * x->m; at++) sha_add_number(&s, x->weight[at]);
    sha_text(&s, digest);
}

static void sha_add_bits(Sha *s, const Matrix *x, num first, num last, int value) { /* of the rows from first to last */
    for (num i = first; i < last; i++)
        for (num j = 0; j < x->m; j += 8) {
            unsigned char byte = 0;
            for (num b = 0; b < 8 && j + b < x->m; b++) byte |= (unsigned char)((x->value[i * x->m + j + b] == value) << b);
            sha_add(s, &byte, 1);
        }
}

/* The same of large data, in which all zeros weigh the same, and all ones. Of each block of rows it has a bit for each
   one, and, if an entry is missing, the number of its first row and a bit for each missing entry. */
static void digest_of_rows(const Matrix *x, char digest[70]) {
    num price[2] = {0, 0}, step = x->m < 1 << 22 ? (1 << 22) / x->m : 1;
    char text[50];
    Sha s;
    for (num at = 0; at < x->n * x->m; at++) {
        if (x->value[at] < 0) continue;
        num *known = price + x->value[at];
        if (!*known) *known = x->weight[at];
        if (!*known || *known != x->weight[at]) refuse("data: entries weigh differently, so they are not those of the digest");
    }
    sha_start(&s);
    sha_add_number(&s, x->n);
    sha_add_number(&s, x->m);
    snprintf(text, sizeof text, "%" PRId64 ",%" PRId64 "--", price[0] ? price[0] : 1, price[1] ? price[1] : 1);
    sha_add(&s, text, strlen(text));
    for (num first = 0, last; first < x->n; first = last) {
        last = x->n - first < step ? x->n : first + step;
        sha_add_bits(&s, x, first, last, 1);
        if (!memchr(x->value + first * x->m, -1, (size_t)((last - first) * x->m))) continue;
        snprintf(text, sizeof text, "%" PRId64, first);
        sha_add(&s, text, strlen(text));
        sha_add_bits(&s, x, first, last, -1);
    }
    memcpy(digest, "rows:", 5);
    sha_text(&s, digest + 5);
}

static Matrix read_data(const char *folder, int in_rows, char digest[70]) {
    Reader r, w;
    if (!open_text(&r, folder, "data.txt")) malformed("%s/data.txt is missing", folder);
    const char *first = memchr(r.at, '\n', (size_t)(r.end - r.at));
    num m = first ? first - r.at : 0;
    if (m == 0 || (r.end - r.at) % (m + 1)) malformed("data.txt: expected lines of equal length, not empty");
    Matrix x = new_matrix((r.end - r.at) / (m + 1), m);
    int weighted = open_text(&w, folder, "weights.txt");
    wide total = 0;
    for (num i = 0; i < x.n; i++) {
        for (num j = 0; j < m; j++) {
            num at = i * m + j;
            char c = *r.at++;
            if (c != '0' && c != '1' && c != '?') expected(&r, "0, 1 or ?");
            x.value[at] = (signed char)(c == '?' ? -1 : c - '0');
            x.weight[at] = weighted ? number(&w, 0, j + 1 < m ? ' ' : '\n') : c != '?';
            if (c == '?' && x.weight[at]) expected(&w, "weight 0 for a missing entry");
            if ((total += x.weight[at]) >= LIMIT) malformed("weights.txt: the weights are too large");
        }
        sign(&r, '\n');
    }
    if (weighted) finish(&w);
    (in_rows ? digest_of_rows : digest_of)(&x, digest);
    for (num at = 0; at < x.n * x.m; at++)
        if (x.weight[at] == 0) x.value[at] = -1;
    return x;
}

static Matrix transposed(const Matrix *x) {
    Matrix y = new_matrix(x->m, x->n);
    for (num i = 0; i < x->n; i++)
        for (num j = 0; j < x->m; j++) {
            y.value[j * y.m + i] = x->value[i * x->m + j];
            y.weight[j * y.m + i] = x->weight[i * x->m + j];
        }
    return y;
}

static num read_transposed(Reader *r) { /* 0 or 1; the error of B'A' on the transpose is that of AB */
    num turned = field(r, "transposed", 0);
    if (turned > 1) expected(r, "transposed to be 0 or 1");
    return turned;
}

/* ---------------------------------------------------------------- merging rows and columns */

typedef struct { num *to; num size, count; } Map; /* to[i]: the new place of i, -1 if it is left out */

static Map read_map(Reader *r, const char *name, num size) {
    Map map = {TAKE(size, num), size, 0};
    char *used = TAKE(size, char);
    word(r, name);
    sign(r, ' ');
    for (num i = 0; i < size; i++) {
        map.to[i] = number(r, -1, i + 1 < size ? ' ' : '\n');
        if (map.to[i] >= size) refuse("%s: %s goes beyond its end", r->name, name);
        if (map.to[i] >= 0) {
            used[map.to[i]] = 1;
            if (map.to[i] >= map.count) map.count = map.to[i] + 1;
        }
    }
    for (num u = 0; u < map.count; u++)
        if (!used[u]) refuse("%s: %s does not use place %" PRId64, r->name, name, u);
    if (map.count == 0) refuse("%s: %s leaves nothing", r->name, name);
    return map;
}

/* Rows of one place must be equal in value and proportional in weight: then they have a best code in
   common, and one row with the sum of their weights stands for all. Columns that are left out do not count. */
static Matrix merge_rows(const Matrix *x, const Map *rows, const Map *columns, const char *what) {
    Matrix y = new_matrix(rows->count, x->m);
    num *model = TAKE(rows->count, num), *sum = TAKE(x->n, num);
    for (num u = 0; u < rows->count; u++) model[u] = -1;
    for (num i = 0; i < x->n; i++) {
        num u = rows->to[i];
        if (u < 0) continue;
        if (model[u] < 0) model[u] = i;
        for (num j = 0; j < x->m; j++)
            if (!columns || columns->to[j] >= 0) sum[i] += x->weight[i * x->m + j];
        for (num j = 0; j < x->m; j++) {
            num a = i * x->m + j, b = model[u] * x->m + j, c = u * x->m + j;
            if (columns && columns->to[j] < 0) continue;
            if (x->value[a] != x->value[b]) refuse("merged %s differ in value", what);
            if ((wide)x->weight[a] * sum[model[u]] != (wide)x->weight[b] * sum[i])
                refuse("the weights of merged %s are not proportional", what);
            y.value[c] = x->value[a];
            y.weight[c] += x->weight[a];
        }
    }
    return y;
}

static Matrix merge(const Matrix *x, const Map *rows, const Map *columns) {
    Matrix a = merge_rows(x, rows, columns, "rows"), b = transposed(&a), c = merge_rows(&b, columns, NULL, "columns");
    return transposed(&c);
}

/* A row or a column may be left out of the whole matrix only if it has no one: then it is best left
   uncovered, and the least error and objective stay what they are. */
static void only_empty_dropped(const Matrix *x, const Map *rows, const Map *columns) {
    for (num i = 0; i < x->n; i++)
        for (num j = 0; j < x->m; j++)
            if (x->value[i * x->m + j] == 1 && (rows->to[i] < 0 || columns->to[j] < 0))
                refuse("a row or column that has a one was dropped");
}

/* ---------------------------------------------------------------- search 1: a'Hb <= limit for all a, b

   For a set b of columns with the sum x the best rows are those with x_i > 0, so b is worth
   f(x) = sum of max(0, x_i). Put the columns on a circle, give each a weight v_j > 0, V in all. If a set is
   worth T, then from some place on the circle every arc that begins there has V f(arc) >= v(arc) T. (Else
   walk from each place along an arc that breaks this; the walk comes back to a place after c rounds. It adds
   up to less than c T, but f(x + y) <= f(x) + f(y) gives at least f(c x) = c f(x) >= c T.) So from each place only sets
   whose beginnings all carry their share are searched. Weights and order are free: they cost time, not truth. */

typedef struct { num m, n, target; const num *column; num *reach, *share, *sum; } Circle;

static int descend(const Circle *c, num depth, num r, num worth) {
    const num *before = c->sum + depth * c->n;
    num *after = c->sum + (depth + 1) * c->n;
    for (;; r++) { /* columns 0 .. r-1 are decided, and sum to `before` */
        if (worth < c->share[r]) return HOLDS;
        if (r == c->m) return REFUSED;
        if (late()) return OPEN;
        const num *add = c->column + r * c->n, *more = c->reach + (r + 1) * c->n;
        num with = 0, most = 0, most_without = 0;
        for (num i = 0; i < c->n; i++) {
            num old = before[i], x = old + add[i], y = x + more[i], z = old + more[i];
            after[i] = x;
            with += x > 0 ? x : 0;
            most += y > 0 ? y : 0;
            most_without += z > 0 ? z : 0;
        }
        if (with >= c->share[r + 1] && most >= c->target) {
            int code = descend(c, depth + 1, r + 1, with);
            if (code != HOLDS) return code;
        }
        if (most_without < c->target) return HOLDS;
    }
}

/* Neighbours on the circle should be unlike, or they carry their shares with ease. */
static void spread(const num *column, num m, num n, num *order) {
    double *recent = TAKE(m, double), *length = TAKE(m, double);
    char *done = TAKE(m, char);
    for (num u = 0; u < m; u++)
        for (num i = 0; i < n; i++) length[u] += (double)column[u * n + i] * (double)column[u * n + i];
    for (num place = 0; place < m; place++) {
        num best = -1;
        for (num u = 0; u < m; u++)
            if (!done[u] && (best < 0 || recent[u] < recent[best])) best = u;
        done[best] = 1;
        order[place] = best;
        for (num u = 0; u < m; u++) {
            double dot = 0;
            for (num i = 0; i < n; i++) dot += (double)column[u * n + i] * (double)column[best * n + i];
            recent[u] = 0.8 * recent[u] + dot * (dot < 0 ? -dot : dot) / (length[u] * length[best]);
        }
    }
}

static int no_rectangle_above(const num *H, num n, num m, num limit) {
    char *row = TAKE(n, char), *column = TAKE(m, char);
    num rows = 0, columns = 0, total = 0, place = 0;
    for (num i = 0; i < n; i++) /* what has nothing positive is in no best rectangle */
        for (num j = 0; j < m; j++)
            if (H[i * m + j] > 0) {
                rows += !row[i];
                columns += !column[j];
                row[i] = column[j] = 1;
                total += H[i * m + j];
            }
    if (total <= limit) return HOLDS;
    int turned = rows < columns; /* the shorter side is searched */
    num M = turned ? rows : columns, N = turned ? columns : rows;
    if (M > MOST_CIRCLE) return OPEN;
    num *plain = TAKE(M * N, num), *twice = TAKE(2 * M * N, num), *order = TAKE(M, num), *v = TAKE(2 * M, num);
    for (num a = 0; a < (turned ? n : m); a++) {
        if (!(turned ? row : column)[a]) continue;
        for (num b = 0; b < (turned ? m : n); b++)
            if ((turned ? column : row)[b]) plain[place++] = turned ? H[a * m + b] : H[b * m + a];
    }
    spread(plain, M, N, order);
    for (num u = 0; u < 2 * M; u++) /* laid out twice, so every place has its circle behind it */
        for (num i = 0; i < N; i++) {
            num x = twice[u * N + i] = plain[order[u % M] * N + i];
            v[u] += x > 0 ? x : 0; /* v_j is what the column could be worth; they add up to total */
        }
    Circle c = {M, N, limit + 1, NULL, TAKE((M + 1) * N, num), TAKE(M + 1, num), TAKE((M + 1) * N, num)};
    for (num start = 0; start < M; start++) {
        num part = 0;
        c.column = twice + start * N;
        for (num r = M; r-- > 0;)
            for (num i = 0; i < N; i++) {
                num x = c.column[r * N + i];
                c.reach[r * N + i] = c.reach[(r + 1) * N + i] + (x > 0 ? x : 0);
            }
        for (num r = 0; r < M; r++) {
            part += v[start + r];
            c.share[r + 1] = (num)ceiling((wide)part * c.target, total);
        }
        int code = descend(&c, 0, 0, 0);
        if (code != HOLDS) return code;
    }
    return HOLDS;
}

/* ---------------------------------------------------------------- search 2: assigned cover

   For a set b of columns a block is worth the most, over sets a of its rows, of
   sum over its ones e in a x b of max(0, price_e - charges on e of the block's zeros in a x b).
   Columns are taken or skipped one after the other. What a block can still be worth, with the columns that
   are not decided giving all their ones and charging nothing, only falls on the way down, and is its worth
   where all are decided. So these values, added up, cut branches, and settle a complete set. */

/* Of block u: its rows, row[first[u]] .. row[first[u + 1] - 1]. Of row i: its block, and its place there. */
typedef struct { num count, *first, *row, *block, *place; } Blocks;
static num rows_of(const Blocks *b, num u) { return b->first[u + 1] - b->first[u]; }

typedef struct { num one, row, amount; } Charge; /* row: of the zero, its place in the block */

typedef struct {
    const Blocks *blocks;
    num columns, ones, limit;
    num *first;         /* ones of block u: first[u] .. first[u + 1] - 1 */
    num *row, *column;  /* of a one: place in its block, place in the walk */
    num *left;          /* price of a one, less charges of the zeros of its own row in the columns taken */
    num *cross;         /* MOST_ROWS for each one: charges of other rows of its block in the columns taken */
    char *skipped;      /* by column */
    num *first_charge;  /* charges that come with column c: first_charge[c] .. first_charge[c + 1] - 1 */
    Charge *charge;
    num *value;         /* blocks for each depth: what they can be worth */
    num *order;         /* blocks, roughly those first that fall most when rows are chosen */
    double *gain;       /* by how much they fell so far */
    num *live, *rest;   /* for one block: ones of which something is left, and what, for each row decided */
    int lists;          /* whether sets above the limit are kept, or end the walk */
    num *name;          /* column of the matrix, by place in the walk */
    num most, count, room, *set; /* no set may be worth more; the sets kept, columns as bits */
} Walk;

/* Rows 0 .. r-1 of the block are decided, and leave rest[q] of its ones; raise *best to the best choice. */
static void choose_rows(const Walk *w, num r, num rows, num ones, num *best) {
    const num *rest = w->rest + r * w->ones;
    num *next = w->rest + (r + 1) * w->ones, sum = 0;
    int own = 0, harms = 0;
    for (num q = 0; q < ones; q++) sum += rest[q] > 0 ? rest[q] : 0;
    if (sum <= *best) return;
    if (r == rows) {
        *best = sum;
        return;
    }
    for (num q = 0; q < ones; q++) {
        num x = w->cross[w->live[q] * MOST_ROWS + r];
        own |= w->row[w->live[q]] == r && rest[q] > 0;
        harms |= x > 0 && rest[q] > 0;
        next[q] = rest[q] - x;
    }
    if (own) choose_rows(w, r + 1, rows, ones, best);
    if (own && !harms) return; /* nothing is better without it */
    for (num q = 0; q < ones; q++) next[q] = w->row[w->live[q]] == r ? 0 : rest[q];
    choose_rows(w, r + 1, rows, ones, best);
}

static num block_worth(const Walk *w, num u) {
    num ones = 0, best = 0;
    for (num e = w->first[u]; e < w->first[u + 1]; e++)
        if (w->left[e] > 0 && !w->skipped[w->column[e]]) {
            w->live[ones] = e;
            w->rest[ones++] = w->left[e];
        }
    choose_rows(w, 0, rows_of(w->blocks, u), ones, &best);
    return best;
}

static int can_exceed(Walk *w, num depth) { /* whether the blocks together can be worth more than the limit */
    num blocks = w->blocks->count, *value = w->value + depth * blocks, total = 0;
    for (num u = 0; u < blocks; u++) {
        num sum = 0;
        for (num e = w->first[u]; e < w->first[u + 1]; e++)
            sum += w->left[e] > 0 && !w->skipped[w->column[e]] ? w->left[e] : 0;
        if (depth && value[u - blocks] < sum) sum = value[u - blocks];
        value[u] = sum;
        total += sum;
    }
    for (num s = 0; s < blocks && total > w->limit; s++) {
        num u = w->order[s];
        if (rows_of(w->blocks, u) == 1 || value[u] == 0) continue;
        num worth = block_worth(w, u);
        if (worth >= value[u]) continue;
        w->gain[u] += (double)(value[u] - worth);
        total -= value[u] - worth;
        value[u] = worth;
        if (s && w->gain[u] > w->gain[w->order[s - 1]]) {
            w->order[s] = w->order[s - 1];
            w->order[s - 1] = u;
        }
    }
    return total > w->limit;
}

/* What taking a column charges: factor 1 to charge it, -1 to give it back. */
static void charge(Walk *w, num column, num factor) {
    for (num c = w->first_charge[column]; c < w->first_charge[column + 1]; c++) {
        const Charge *x = w->charge + c;
        if (x->row == w->row[x->one]) w->left[x->one] -= factor * x->amount;
        else w->cross[x->one * MOST_ROWS + x->row] += factor * x->amount;
    }
}

static int keep_set(Walk *w) { /* all columns are decided, so the values of the blocks are what they are worth */
    const num *value = w->value + w->columns * w->blocks->count;
    num worth = 0, set = 0;
    for (num u = 0; u < w->blocks->count; u++) worth += value[u];
    for (num c = 0; c < w->columns; c++) set |= w->skipped[c] ? 0 : (num)1 << w->name[c];
    if (worth > w->most) return REFUSED;
    if (w->count == MOST_LISTED) return OPEN;
    if (w->count == w->room) {
        w->room = w->room ? 2 * w->room : 1 << 10;
        num *larger = TAKE(w->room, num);
        if (w->count) memcpy(larger, w->set, (size_t)w->count * sizeof *larger);
        w->set = larger;
    }
    w->set[w->count++] = set;
    return HOLDS;
}

static int walk(Walk *w, num depth) {
    if (late()) return OPEN;
    if (!can_exceed(w, depth)) return HOLDS;
    if (depth == w->columns) return w->lists ? keep_set(w) : REFUSED;
    charge(w, depth, 1);
    int code = walk(w, depth + 1);
    charge(w, depth, -1);
    if (code != HOLDS) return code;
    w->skipped[depth] = 1;
    code = walk(w, depth + 1);
    w->skipped[depth] = 0;
    return code;
}

/* ---------------------------------------------------------------- search 3: no choice for the columns gains T

   Every column is in some of the k rectangles, its choice. A row that is in the rectangles of `code` gains the
   sum of its entries (+weight of a one, -weight of a zero) in the columns whose choice meets the code; it takes
   its best code, and the empty one gains 0. Call F the sum over rows. The lemma of search 1 holds for it, as it
   rests on F(x + y) <= F(x) + F(y) and F(c x) = c F(x) alone: if all columns gain T or more, and shares add up to at most
   T, then from some place on the circle all arcs that begin there gain their shares. So from each place only
   choices whose beginnings all gain their shares are searched.

   The same holds for gains with shifts: what is added, row by row, to what a column brings to codes of 1, 2, ..., k
   rectangles, if it comes to nothing over all columns. `usual` says how often, in thousandths, each column is
   expected in a rectangle. A code gets its part of what all columns are expected to bring, by shares, and gives back
   what this one is. Any numbers would do.

   Rectangles without a column so far are alike: a column that goes into some of them goes into the first ones. */

typedef struct {
    num m, n, k, codes;
    const num *column, *most, *least, *size;
    num *sum, *lift; /* lift: the shifts of the columns up to this one, by depth, rectangles of a code less one, row */
} Choices;

/* What the rows gain with one more column in the rectangles of x. */
static num gained(const Choices *c, num depth, num x, const num *before) {
    const num *add = c->column + depth * c->n, *lift = c->lift + depth * c->k * c->n;
    num total = 0;
    for (num i = 0; i < c->n; i++) {
        const num *sum = before + i * c->codes;
        num best = 0;
        for (num code = 1; code < c->codes; code++) {
            num with = sum[code] + (code & x ? add[i] : 0) + lift[(c->size[code] - 1) * c->n + i];
            best = with > best ? with : best;
        }
        total += best;
    }
    return total;
}

/* Columns 0 .. depth-1 are decided and gain `gain`; `before` has the sums by row and code, and the first `used`
   rectangles have columns. */
static int choose(const Choices *c, num depth, num used, const num *before, num gain) {
    const num *add = c->column + depth * c->n, least = c->least[depth];
    num *after = c->sum + (depth + 1) * c->n * c->codes;
    if (gain + c->most[depth] < least) return HOLDS; /* together columns gain no more than each by itself */
    for (num x = c->codes - 1; x >= 0; x--) {
        num fresh = x >> used, now = used;
        if (fresh & (fresh + 1)) continue;
        if (late()) return OPEN;
        num total = gained(c, depth, x, before);
        if (total < least) continue;
        if (depth + 1 == c->m) return REFUSED;
        if (x)
            for (num i = 0; i < c->n; i++)
                for (num code = 0; code < c->codes; code++)
                    after[i * c->codes + code] = before[i * c->codes + code] + (code & x ? add[i] : 0);
        while (x >> now) now++;
        int answer = choose(c, depth + 1, now, x ? after : before, total);
        if (answer != HOLDS) return answer;
    }
    return HOLDS;
}

/* By column, rectangles of a code less one, and row: shifts for gains that are whole numbers. */
static num *make_shifts(const num *gain, num m, num n, num k, const num *share, const num *usual) {
    num *shift = TAKE(m * k * n, num), heaviest = 0, coarse = 0;
    wide shares = 0;
    for (num u = 0; u < m; u++) {
        shares += share[u];
        if (share[u] > share[heaviest]) heaviest = u;
    }
    /* `all` is below 1000 LIMIT / 8 < 2^69, so shares must be below 2^57 to be multiplied with it. */
    while (shares >> coarse >= (wide)1 << 57) coarse++;
    shares >>= coarse;
    for (num q = 0; q < k; q++)
        for (num i = 0; i < n; i++) {
            wide all = 0;
            num rest = 0;
            for (num pass = 0; pass < 2; pass++)
                for (num u = 0; u < m; u++) {
                    wide missed = 1000;
                    for (num r = 0; r <= q; r++) missed = missed * (1000 - usual[u]) / 1000;
                    wide own = (1000 - missed) * gain[u * n + i];
                    if (pass == 0) all += own;
                    else rest -= shift[(u * k + q) * n + i] = (num)(all * (share[u] >> coarse) / shares / 1000 - own / 1000);
                }
            shift[(heaviest * k + q) * n + i] += rest;
        }
    return shift;
}

/* given: gains by column and row, in the order of the circle; the shares are in units of 1 / scale. */
static int no_choice_gains(const num *given, num m, num n, num k, const num *share, const num *usual, num scale,
                           num target) {
    if (m > MOST_CIRCLE || k > MOST_PATTERNS || n > MOST_SUMS / (m + 1) >> k) return OPEN;
    num *twice = TAKE(2 * m * n, num), *gain = TAKE(m * n, num), *most = TAKE(2 * m, num), *least = TAKE(m, num);
    num *size = TAKE((num)1 << k, num), unit = 64;
    wide total = 0;
    for (num at = 0; at < m * n; at++) total += given[at] > 0 ? given[at] : -given[at];
    /* No sum with shifts is more than three times what it is without, but for rounding. */
    while (unit > 1 && unit * total * 8 + 8 * (wide)m * n * k >= LIMIT) unit /= 2;
    for (num at = 0; at < m * n; at++) gain[at] = unit * given[at];
    num *shift = unit > 1 ? make_shifts(gain, m, n, k, share, usual) : TAKE(m * k * n, num);
    for (num at = 0; at < 2 * m * n; at++) { /* laid out twice, so every place has its circle behind it */
        num x = twice[at] = gain[at % (m * n)], u = at / n % m, up = shift[u * k * n + at % n];
        for (num q = 1; q < k; q++) {
            num other = shift[(u * k + q) * n + at % n];
            up = other > up ? other : up;
        }
        num best = x > 0 ? x + up : up;
        most[at / n] += best > 0 ? best : 0;
    }
    for (num code = 1; code < (num)1 << k; code++) size[code] = size[code >> 1] + (code & 1);
    Choices c = {m, n, k, (num)1 << k, NULL, NULL, least, size, TAKE((m + 1) * n << k, num), TAKE(m * k * n, num)};
    for (num start = 0; start < m; start++) {
        wide part = 0;
        for (num u = 0; u < m; u++) {
            least[u] = (num)ceiling((part += share[(start + u) % m]) * unit, scale);
            for (num at = 0; at < k * n; at++)
                c.lift[u * k * n + at] = (u ? c.lift[(u - 1) * k * n + at] : 0) + shift[(start + u) % m * k * n + at];
        }
        least[m - 1] = target * unit; /* the shares may be less than all of it */
        c.column = twice + start * n, c.most = most + start;
        int answer = choose(&c, 0, 0, c.sum, 0);
        if (answer != HOLDS) return answer;
    }
    return HOLDS;
}

/* ---------------------------------------------------------------- what was proved, for the claims at the end */

typedef struct { num k, error; Fraction rho, objective, bounds[2]; int bounded[2]; char status[20]; } Claims;
typedef struct { const Claims *claims; num error, objective; int open; } Proved; /* objective: in units of 1 / bottom of rho */

/* top / bottom is a lower bound for rank k: on the error, or (with its rho) on MIP(rho), or both. */
static void remember(Proved *proved, num k, int on_error, Fraction rho, num top, num bottom) {
    const Claims *claims = proved->claims;
    if (k < claims->k) return; /* a bound for rank k holds for smaller ranks, not for larger ones */
    wide error = ceiling(top, bottom), unit = claims->rho.bottom, objective = 0;
    if (on_error && error > proved->error) proved->error = (num)error; /* weights are whole, so the error is */
    if (on_error && claims->rho.top >= claims->rho.bottom) objective = error * unit; /* MIP(rho) >= error then */
    /* MIP(rho) grows with rho, and is a multiple of 1 / bottom of rho. */
    else if (rho.top > 0 && (wide)rho.top * unit <= (wide)claims->rho.top * rho.bottom)
        objective = ceiling(top * unit, bottom);
    if (objective > proved->objective) proved->objective = small(objective, "bound");
}

static int same(Fraction f, wide top, wide bottom) { return f.top * bottom == top * f.bottom; }

/* "i j " in a line: an observed one or zero; its place in the arrays. */
static num cell(Reader *r, const Matrix *x, int value, const char *name) {
    num i = number(r, 0, ' '), j = number(r, 0, ' ');
    if (i >= x->n || j >= x->m || x->value[i * x->m + j] != value)
        refuse("%s: a %s where there is none", name, value ? "one" : "zero");
    return i * x->m + j;
}

/* Lines "i j price": price[] by place, at most scale * weight; returns their sum. */
static num read_prices(Reader *r, const Matrix *x, num scale, num least, num *price, const char *name) {
    char *priced = TAKE(x->n * x->m, char);
    num sum = 0;
    for (num count = field(r, "p", 0); count > 0; count--) {
        num at = cell(r, x, 1, name), p = number(r, least, '\n');
        if (priced[at]++) refuse("%s: two prices for one entry", name);
        if (p > (wide)scale * x->weight[at]) refuse("%s: a price above the weight", name);
        price[at] = p;
        sum = small((wide)sum + p, name);
    }
    return sum;
}

/* "omega_bound" and "bound": the numerator of the bound, (sum p - k omega) / scale. */
static num read_bound(Reader *r, num sum, num k, num scale, num *omega, const char *name) {
    *omega = field(r, "omega_bound", 0);
    num top = small(sum - (wide)k * *omega, name);
    if (!same(fraction_field(r, "bound"), top, scale))
        refuse("%s: the bound is not (sum of p - k omega) / scale", name);
    return top;
}

static void conclude(int code, const char *name, Proved *proved) {
    if (code == REFUSED) refuse("%s: a rectangle is worth more than omega", name);
    if (code == OPEN) proved->open = 1;
    say(code == HOLDS ? "passed" : "not checked", "%s: no rectangle is worth more than omega (%" PRId64 " nodes)",
        name, nodes);
}

/* ---------------------------------------------------------------- kind mlp

   Prices 0 <= p <= scale * weight on the ones. If p(R) - scale rho zeros(R) <= omega for every rectangle R,
   then (sum p - k omega) / scale <= MIP(rho) for every choice of k rectangles. With k rho <= 1 that is at most
   the error: a covered zero is counted at most k times. */

static void check_mlp(Reader *r, const Matrix *x, num k, const char *name, Proved *proved) {
    word(r, "on ");
    int on_error = next_is(r, "error");
    line(r, on_error ? "error" : "objective");
    Fraction rho = rho_field(r);
    num scale = field(r, "scale", 1);
    if (on_error && (wide)rho.top * k > rho.bottom) refuse("%s: a bound on the error needs k rho <= 1", name);
    if ((wide)rho.top * scale % rho.bottom) refuse("%s: scale times rho must be whole", name);
    num zero = small((wide)rho.top * scale / rho.bottom, name), *H = TAKE(x->n * x->m, num), zeros = 0, omega;
    num sum = read_prices(r, x, scale, 0, H, name), top = read_bound(r, sum, k, scale, &omega, name);
    for (num at = 0; at < x->n * x->m; at++)
        if (x->value[at] == 0) {
            H[at] = -small((wide)zero * x->weight[at], name);
            zeros = small((wide)zeros - H[at], name);
        }
    num unit = on_error ? 1 : rho.bottom, up = top > 0 ? small(ceiling((wide)top * unit, scale), name) : 0;
    if (!same(fraction_field(r, "rounded"), up, unit)) refuse("%s: the bound is not rounded as it must be", name);
    nodes = 0;
    conclude(no_rectangle_above(H, x->n, x->m, omega), name, proved);
    say("passed", "%s: %s >= %" PRId64 "/%" PRId64 " follows", name, on_error ? "error" : "objective", up, unit);
    remember(proved, k, on_error, rho, top, scale);
}

/* ---------------------------------------------------------------- kind assigned_cover

   Rows are in blocks. Prices 0 <= p_e <= scale * weight on ones; charges of zeros z on ones e of the same block,
   those of a zero adding up to at most scale * weight. If every rectangle's worth (above) is at most
   omega, every factorisation of rank k has an error of at least (sum p - k omega) / scale. Proof: give each covered one
   e to one rectangle R(e) that covers it; a covered zero pays at least its charges on the e for which R(e) covers it;
   so scale times the error is at least sum p less what the k rectangles are worth.
   It holds on any rows and columns, and parts that share no entry add up. */

typedef struct { num zero, one, amount; } Link; /* cells i * m + j */

static int by_cells(const void *a, const void *b) {
    const Link *x = a, *y = b;
    if (x->zero != y->zero) return x->zero < y->zero ? -1 : 1;
    return (x->one > y->one) - (x->one < y->one);
}

static Blocks read_blocks(Reader *r, num n, const char *name) {
    Blocks b = {0, TAKE(n + 1, num), TAKE(n, num), TAKE(n, num), TAKE(n, num)};
    num named = field(r, "blocks", 0), used = 0, next = 0;
    for (num i = 0; i < n; i++) b.block[i] = -1;
    while (used < n || b.count < named) { /* the blocks that are named, then each row that is left by itself */
        num size = b.count < named ? number(r, 1, ' ') : 1;
        if (size > MOST_ROWS) refuse("%s: a block of more than %d rows", name, MOST_ROWS);
        for (num s = 0; s < size; s++) {
            while (next < n && b.block[next] >= 0) next++;
            num i = b.count < named ? number(r, 0, s + 1 < size ? ' ' : '\n') : next;
            if (i >= n || b.block[i] >= 0) refuse("%s: a block has a row that is not there, or is in two", name);
            b.block[i] = b.count;
            b.place[i] = s;
            b.row[used++] = i;
        }
        b.first[++b.count] = used;
    }
    return b;
}

/* Prices, and charges of zeros on ones of the same block. */
typedef struct { Matrix x; Blocks blocks; num scale, *price, sum, count, omega, top; Link *links; } Duals;

typedef struct { num m, *order, *weight, *usual; } Ring; /* m = 0: there is none; no weights: the search is by size */

static void read_places(Reader *r, const char *title, num m, num least, num most, num *to, const char *name) {
    word(r, title);
    sign(r, ' ');
    for (num q = 0; q < m; q++) {
        to[q] = number(r, least, q + 1 < m ? ' ' : '\n');
        if (to[q] > most) refuse("%s: circle: a number in %s is above %" PRId64, name, title, most);
    }
}

/* "circle" and its lines, if they are there: order alone, where rows are single, or three. */
static Ring read_ring(Reader *r, num m, int single, const char *name) {
    Ring ring = {0};
    if (!next_is(r, "circle\n")) return ring;
    line(r, "circle");
    char *placed = TAKE(m, char);
    ring = (Ring){.m = m, .order = TAKE(m, num)};
    read_places(r, "order", m, 0, m - 1, ring.order, name);
    if (next_is(r, "weights")) {
        ring.weight = TAKE(m, num), ring.usual = TAKE(m, num);
        read_places(r, "weights", m, 1, MOST_WEIGHT, ring.weight, name);
        read_places(r, "usual", m, 0, 1000, ring.usual, name);
    } else if (!single) refuse("%s: circle: order alone is for single rows", name);
    for (num q = 0; q < m; q++)
        if (placed[ring.order[q]]++) refuse("%s: circle: order has a column twice", name);
    return ring;
}

static Duals read_duals(Reader *r, const Matrix *whole, const Map *rows, const Map *columns, num k, Ring *ring, const char *name) {
    Duals d = {.x = merge(whole, rows, columns), .scale = field(r, "scale", 1)};
    const Matrix *x = &d.x;
    num *spent = TAKE(x->n * x->m, num);
    d.price = TAKE(x->n * x->m, num);
    d.blocks = read_blocks(r, x->n, name);
    d.sum = read_prices(r, x, d.scale, 1, d.price, name);
    d.count = field(r, "charges", 0);
    num all = d.sum;
    if (d.count > (r->end - r->at) / 10) expected(r, "more charges"); /* memory is taken for what is there */
    d.links = TAKE(d.count, Link);
    for (num c = 0; c < d.count; c++) {
        num zero = cell(r, x, 0, name), one = cell(r, x, 1, name), amount = number(r, 1, '\n');
        d.links[c] = (Link){zero, one, amount};
        all = small((wide)all + amount, name); /* so no sum of prices and charges is too large */
        spent[zero] += amount;
        if (d.blocks.block[zero / x->m] != d.blocks.block[one / x->m])
            refuse("%s: a charge goes to another block", name);
        if (spent[zero] > (wide)d.scale * x->weight[zero]) refuse("%s: a zero charges more than its weight", name);
    }
    qsort(d.links, (size_t)d.count, sizeof *d.links, by_cells);
    for (num c = 1; c < d.count; c++)
        if (by_cells(d.links + c - 1, d.links + c) == 0) refuse("%s: a zero charges a one twice", name);
    if (ring) *ring = read_ring(r, x->m, d.blocks.count == x->n, name); /* a point of an enumeration has none */
    d.top = read_bound(r, d.sum, k, d.scale, &d.omega, name);
    return d;
}

/* Single rows and many columns: a row of H for each one, its price and its charges, makes it search 1. */
static int circle_of_ones(const Duals *d) {
    const Matrix *x = &d->x;
    num *row = TAKE(x->n * x->m, num), ones = 0;
    for (num at = 0; at < x->n * x->m; at++) row[at] = d->price[at] > 0 ? ones++ : -1;
    if (ones > ((num)1 << 27) / x->m) return OPEN;
    num *H = TAKE(ones * x->m, num);
    for (num at = 0; at < x->n * x->m; at++)
        if (row[at] >= 0) H[row[at] * x->m + at % x->m] = d->price[at];
    for (num c = 0; c < d->count; c++) {
        const Link *l = d->links + c;
        if (row[l->one] >= 0) H[row[l->one] * x->m + l->zero % x->m] -= l->amount;
    }
    return no_rectangle_above(H, ones, x->m, d->omega);
}

/* The order in which columns are decided: those that charge most come first. Columns without a price are never
   worth taking; unless every column is asked for, they have no place. */
static num place_columns(const Duals *d, int every, num *place) {
    num m = d->x.m, *charged = TAKE(m, num), columns = 0;
    for (num j = 0; j < m; j++) {
        place[j] = -1;
        charged[j] = every ? 0 : -1;
    }
    for (num at = 0; at < d->x.n * m; at++)
        if (d->price[at] > 0) charged[at % m] = 0;
    for (num c = 0; c < d->count; c++) {
        num j = d->links[c].zero % m;
        if (charged[j] >= 0 && d->price[d->links[c].one] > 0) charged[j] += d->links[c].amount;
    }
    for (;; columns++) {
        num best = -1;
        for (num j = 0; j < m; j++)
            if (charged[j] >= 0 && place[j] < 0 && (best < 0 || charged[j] > charged[best])) best = j;
        if (best < 0) return columns;
        place[best] = columns;
    }
}

static Walk start_walk(const Duals *d, const num *place, num columns) {
    const Matrix *x = &d->x;
    const Blocks *b = &d->blocks;
    num *one = TAKE(x->n * x->m, num), e = 0;
    Walk w = {.blocks = b, .columns = columns, .name = TAKE(columns, num)};
    for (num at = 0; at < x->n * x->m; at++) e += d->price[at] > 0;
    w.first = TAKE(b->count + 1, num), w.row = TAKE(e, num), w.column = TAKE(e, num);
    w.left = TAKE(e, num), w.cross = TAKE(e * MOST_ROWS, num);
    w.live = TAKE(e, num), w.rest = TAKE(e * (MOST_ROWS + 1), num), w.ones = e;
    e = 0;
    for (num u = 0; u < b->count; u++) {
        for (num s = b->first[u]; s < b->first[u + 1]; s++)
            for (num j = 0; j < x->m; j++) {
                num at = b->row[s] * x->m + j;
                if (d->price[at] == 0) continue;
                w.row[e] = s - b->first[u], w.column[e] = place[j], w.left[e] = d->price[at];
                one[at] = e++;
            }
        w.first[u + 1] = e;
    }
    w.first_charge = TAKE(columns + 1, num), w.charge = TAKE(d->count, Charge);
    for (num c = 0, at = 0; c < columns; c++) {
        for (num l = 0; l < d->count; l++) {
            const Link *link = d->links + l;
            if (place[link->zero % x->m] == c && d->price[link->one] > 0)
                w.charge[at++] = (Charge){one[link->one], b->place[link->zero / x->m], link->amount};
        }
        w.first_charge[c + 1] = at;
    }
    for (num j = 0; j < x->m; j++)
        if (place[j] >= 0) w.name[place[j]] = j;
    w.skipped = TAKE(columns + 1, char), w.value = TAKE((columns + 1) * b->count, num);
    w.order = TAKE(b->count, num), w.gain = TAKE(b->count, double);
    for (num u = 0; u < b->count; u++) w.order[u] = u;
    return w;
}

static int no_cover_above_omega(const Duals *d) {
    num *place = TAKE(d->x.m, num), columns = place_columns(d, 0, place);
    if (d->blocks.count == d->x.n && columns > FEW_COLUMNS) return circle_of_ones(d);
    if (columns > MOST_COLUMNS) return OPEN;
    Walk w = start_walk(d, place, columns);
    w.limit = d->omega;
    return walk(&w, 0);
}

/* ---------------------------------------------------------------- search 2 around a circle

   For many columns. What a one e has left, less the charges across rows from a set a of rows, is a sum over the columns
   taken, for each a, and a block is worth the largest sum of positive parts over its a. So worth is sublinear, like f in
   search 1, and the lemma there holds also if column j brings z_j = h_j + u_j where it is taken and u_j where it is not,
   for any u_j that add up to zero: at the end they cancel. The certificate has order, weights and, in thousandths, how often
   a column is in good sets; u_j = (w_j / W) (sum of usual_i h_i) - usual_j h_j, rounded, makes such sets bring their worth
   evenly. h and u leave out the charges across rows, which are the same for all u; they come off block by block. */

#define AT_ONCE 64 /* numbers that are added up in 32 bits: a number that compilers know, so that they use vectors */

typedef struct {
    Walk w;            /* blocks, ones and charges across rows; behind the ones, a one for each row of a block */
    num m, width, real, start, unit;
    num *share, *step, *sum;    /* step: what place c brings taken, 2 c, and skipped, 2 c + 1; sum: by depth */
    int32_t *step32, *sum32;    /* the same, where 32 bits are proved to suffice; else NULL */
    num *harm, *harmed;         /* of a one: charges across rows of the columns taken; of a block: ones with such */
    num *block;                 /* of a one */
} Round;

static num add_narrow(int32_t *restrict after, const int32_t *restrict before, const int32_t *restrict step, num width) {
    num worth = 0;
    for (num first = 0; first < width; first += AT_ONCE) {
        int32_t part = 0;
        for (int i = 0; i < AT_ONCE; i++) {
            int32_t x = before[first + i] + step[first + i];
            after[first + i] = x;
            part += x > 0 ? x : 0;
        }
        worth += part;
    }
    return worth;
}

static num add_step(const Round *c, num depth, num step) { /* what is left, without charges across rows */
    num n = c->width, worth = 0;
    if (c->sum32) return add_narrow(c->sum32 + (depth + 1) * n, c->sum32 + depth * n, c->step32 + step * n, n);
    for (num e = 0; e < n; e++) {
        num x = c->sum[(depth + 1) * n + e] = c->sum[depth * n + e] + c->step[step * n + e];
        worth += x > 0 ? x : 0;
    }
    return worth;
}

/* The best rows of block u are worth so much less than all its rows would be without charges across rows. */
static num lost_in_block(const Round *c, num depth, num u) {
    const Walk *w = &c->w;
    num plain[MOST_ROWS] = {0}, ones = 0, sum = 0, best = 0;
    for (num e = w->first[u]; e < w->first[u + 1]; e++) {
        num at = depth * c->width + e, x = c->sum32 ? c->sum32[at] : c->sum[at];
        if (x <= 0) continue;
        sum += x;
        if (c->harm[e]) w->live[ones] = e, w->rest[ones++] = x;
        else plain[w->row[e]] += x;
    }
    if (!ones) return 0;
    for (num r = 0; r < rows_of(w->blocks, u); r++)
        if (plain[r]) w->live[ones] = c->real + r, w->rest[ones++] = plain[r];
    choose_rows(w, 0, rows_of(w->blocks, u), ones, &best);
    return sum - best;
}

static int bears(const Round *c, num depth, num worth) { /* whether what is decided is worth its share */
    const Walk *w = &c->w;
    for (num s = 0; s < w->blocks->count; s++) {
        num u = w->order[s];
        if (!c->harmed[u]) continue;
        num lost = lost_in_block(c, depth, u);
        worth -= lost;
        w->gain[u] += (double)lost;
        if (s && w->gain[u] > w->gain[w->order[s - 1]]) {
            w->order[s] = w->order[s - 1];
            w->order[s - 1] = u;
        }
        if (worth < c->share[depth]) return 0;
    }
    return 1;
}

static void charge_across(const Round *c, num place, num factor) {
    const Walk *w = &c->w;
    for (num l = w->first_charge[place]; l < w->first_charge[place + 1]; l++) {
        const Charge *x = w->charge + l;
        num before = c->harm[x->one];
        w->cross[x->one * MOST_ROWS + x->row] += factor * x->amount;
        c->harm[x->one] += factor * x->amount;
        c->harmed[c->block[x->one]] += (c->harm[x->one] > 0) - (before > 0);
    }
}

static int go_round(const Round *c, num depth) {
    if (depth == c->m) return REFUSED;
    num place = (c->start + depth) % c->m;
    for (num skip = 0; skip < 2; skip++) {
        if (late()) return OPEN;
        num worth = add_step(c, depth, 2 * place + skip);
        if (worth < c->share[depth + 1]) continue;
        if (!skip) charge_across(c, place, 1);
        int code = bears(c, depth + 1, worth) ? go_round(c, depth + 1) : HOLDS;
        if (!skip) charge_across(c, place, -1);
        if (code != HOLDS) return code;
    }
    return HOLDS;
}

/* The steps, for numbers `unit` times as large. Whether 32 bits suffice: no sum on the way is above the sum of what a
   place can bring at most to a one, nor below the sum of what it can take at most. */
static int make_steps(Round *c, const num *brought, const Ring *ring, num unit) {
    num m = c->m, n = c->width, weights = 0, heaviest = 0, narrow = 1, together = 0, limit = INT32_MAX;
    for (num j = 0; j < m; j++) {
        weights += ring->weight[j];
        if (ring->weight[j] > ring->weight[heaviest]) heaviest = j;
    }
    c->unit = unit;
    for (num e = 0; e < n; e++) {
        wide usual = 0;
        num rest = 0, top = 0, low = 0;
        for (num j = 0; j < m; j++) usual += (wide)brought[j * n + e] * unit * ring->usual[j];
        for (num j = 0; j < m; j++) {
            wide own = (wide)brought[j * n + e] * unit * ring->usual[j];
            num u = (num)(usual * ring->weight[j] / weights / 1000 - own / 1000);
            c->step[(2 * j + 1) * n + e] = u;
            rest -= u;
        }
        c->step[(2 * heaviest + 1) * n + e] += rest;
        for (num j = 0; j < m; j++) {
            num u = c->step[(2 * j + 1) * n + e], x = c->step[2 * j * n + e] = u + brought[j * n + e] * unit;
            num most = x > u ? x : u, least = x < u ? x : u;
            top += most > 0 ? most : 0;
            low += least < 0 ? -least : 0;
        }
        together = e % AT_ONCE ? together + top : top;
        if (together > limit || low > limit) narrow = 0;
    }
    return (int)narrow;
}

/* The columns of the ring without those that have no price: they only charge, and no best set needs them. */
static Ring priced_ring(const Matrix *x, const num *price, const Ring *ring) {
    Ring y = {0, TAKE(x->m, num), TAKE(x->m, num), TAKE(x->m, num)};
    for (num q = 0; q < x->m; q++) {
        num priced = 0;
        for (num i = 0; i < x->n; i++) priced |= price[i * x->m + ring->order[q]] > 0;
        if (!priced) continue;
        y.order[y.m] = ring->order[q], y.weight[y.m] = ring->weight[q], y.usual[y.m++] = ring->usual[q];
    }
    return y;
}

static int no_cover_around(const Duals *d, const Ring *given) {
    const Matrix *x = &d->x;
    const Blocks *b = &d->blocks;
    const Link *links = d->links;
    const num *price = d->price, count = d->count, omega = d->omega;
    Ring ring = priced_ring(x, price, given);
    num m = ring.m, e = 0, largest = 0, unit = 1, weights = 0, crossing = 0;
    num *place = TAKE(x->m, num), *name = TAKE(x->n * x->m, num);
    wide total = 0, sum = 0;
    for (num at = 0; at < x->n * x->m; at++) e += price[at] > 0, sum += price[at];
    if (sum <= omega) return HOLDS;
    Round c = {.m = m, .real = e, .width = (e + AT_ONCE - 1) / AT_ONCE * AT_ONCE};
    if (m > MOST_CIRCLE || c.width > MOST_SUMS / (5 * m + 5)) return OPEN;
    for (num j = 0; j < x->m; j++) place[j] = -1;
    for (num q = 0; q < m; q++) place[ring.order[q]] = q;
    num all = e + MOST_ROWS, n = c.width, *brought = TAKE(m * n, num);
    Walk w = {.blocks = b, .ones = all, .first = TAKE(b->count + 1, num), .row = TAKE(all, num)};
    w.cross = TAKE(all * MOST_ROWS, num), w.live = TAKE(all, num), w.rest = TAKE(all * (MOST_ROWS + 1), num);
    w.order = TAKE(b->count, num), w.gain = TAKE(b->count, double);
    c.harm = TAKE(all, num), c.harmed = TAKE(b->count, num), c.block = TAKE(all, num);
    e = 0;
    for (num u = 0; u < b->count; u++) {
        w.order[u] = u;
        for (num s = b->first[u]; s < b->first[u + 1]; s++)
            for (num j = 0; j < x->m; j++) {
                num at = b->row[s] * x->m + j;
                if (price[at] == 0) continue;
                brought[place[j] * n + e] = price[at];
                w.row[e] = s - b->first[u], c.block[e] = u;
                name[at] = e++;
            }
        w.first[u + 1] = e;
    }
    for (num r = 0; r < MOST_ROWS; r++) w.row[e + r] = r;
    w.first_charge = TAKE(m + 1, num), w.charge = TAKE(count, Charge);
    for (num q = 0; q < m; q++) {
        for (num l = 0; l < count; l++) {
            num i = links[l].zero / x->m, one = links[l].one;
            if (links[l].zero % x->m != ring.order[q] || price[one] == 0) continue;
            if (i == one / x->m) brought[q * n + name[one]] -= links[l].amount;
            else w.charge[crossing++] = (Charge){name[one], b->place[i], links[l].amount}, total += links[l].amount;
        }
        w.first_charge[q + 1] = crossing;
    }
    for (num at = 0; at < m * n; at++) {
        num size = brought[at] < 0 ? -brought[at] : brought[at];
        total += size;
        largest = size > largest ? size : largest;
    }
    while (unit * largest < 4096) unit *= 2; /* shifts are rounded to whole numbers */
    c.step = TAKE(2 * m * n, num);
    for (;; unit /= 2) {
        /* Steps are at most three times what is brought, but for their rounding. */
        if (unit * total * 8 + 8 * (wide)m * n >= LIMIT) return OPEN;
        int narrow = make_steps(&c, brought, &ring, unit);
        if (narrow) c.step32 = TAKE(2 * m * n, int32_t), c.sum32 = TAKE((m + 1) * n, int32_t);
        if (narrow || unit == 1) break;
    }
    if (c.step32) for (num at = 0; at < 2 * m * n; at++) c.step32[at] = (int32_t)c.step[at];
    else c.sum = TAKE((m + 1) * n, num);
    for (num l = 0; l < crossing; l++) w.charge[l].amount *= c.unit;
    c.w = w, c.share = TAKE(m + 1, num);
    for (num q = 0; q < m; q++) weights += ring.weight[q];
    for (c.start = 0; c.start < m; c.start++) {
        num part = 0;
        for (num d = 0; d < m; d++) {
            part += ring.weight[(c.start + d) % m];
            c.share[d + 1] = (num)ceiling((wide)part * c.unit * (omega + 1), weights);
        }
        int code = go_round(&c, 0);
        if (code != HOLDS) return code;
    }
    return HOLDS;
}

/* ---------------------------------------------------------------- search 2 by size

   Rows are single, so a set b of s columns is worth the sum over its ones e of max(0, p_e - l_e(b)), l_e(b) being what b
   charges to e. Column j of b brings z_j = p - s l({j}) to the ones in the columns of b. The z_j add up to s (p - l(b)), so
   f(sum) = s worth(b), f(x) being the sum of max(0, x_e). As in search 1, with all weights equal: if b is worth T, then from
   some column of b every arc of t columns of b has f(arc) >= t T. So for each s and from each place columns are chosen one
   after another around the circle. What the s - t others bring to f of the first t, y = t p - s l(first t), is the sum of
   max(0, y_e) over their ones. They come behind the last one chosen, so this is at most that of the s - t best there. The
   order is free: it costs time, not truth.

   Cuts. For any level v, the k largest of some numbers add up to at most k v + sum of max(0, number - v), and to just that
   if v is the k-th largest. Where it is known which column is next, that one counts as it is. */

#define IN_COLUMN 8 /* the ones of a column are filled up with zeros to a multiple of this */

typedef struct {
    num m, width, size, target, start;
    num *first, *price, *charge; /* the ones of place c are first[c] .. first[c + 1] - 1; charge: of a place to each one */
    num *step, *sum;             /* step: what a place brings; sum: by the number of columns chosen */
    int32_t *step32, *sum32;     /* the same, where 32 bits are proved to suffice */
    int narrow;
    num *chosen, *level, *more, *with, *copy; /* more: what columns behind bring; with: at most, if they are next */
} Sizes;

static num part_of_column(const Sizes *c, num t, num place, num column) { /* if `place` comes to the first t */
    num low = c->first[column], count = c->first[column + 1] - low, worth = 0;
    if (c->narrow) {
        const int32_t *before = c->sum32 + t * c->width + low, *step = c->step32 + place * c->width + low;
        int32_t part[IN_COLUMN] = {0};
        for (num e = 0; e < count; e += IN_COLUMN)
            for (int i = 0; i < IN_COLUMN; i++) {
                int32_t x = before[e + i] + step[e + i];
                part[i] += x > 0 ? x : 0;
            }
        for (int i = 0; i < IN_COLUMN; i++) worth += part[i];
        return worth;
    }
    const num *before = c->sum + t * c->width + low, *step = c->step + place * c->width + low;
    for (num e = 0; e < count; e++) {
        num x = before[e] + step[e];
        worth += x > 0 ? x : 0;
    }
    return worth;
}

static void add_column(const Sizes *c, num t, num place) {
    num n = c->width;
    if (c->narrow)
        for (num e = 0; e < n; e++) c->sum32[(t + 1) * n + e] = c->sum32[t * n + e] + c->step32[place * n + e];
    else
        for (num e = 0; e < n; e++) c->sum[(t + 1) * n + e] = c->sum[t * n + e] + c->step[place * n + e];
}

static num largest(num *x, num n, num k) { /* the k-th largest; x is put in another order */
    for (num low = 0, high = n - 1; low < high;) {
        num v = x[k - 1], i = low, j = high;
        while (i <= j) {
            while (x[i] > v) i++;
            while (x[j] < v) j--;
            if (i > j) break;
            num other = x[i];
            x[i++] = x[j];
            x[j--] = other;
        }
        if (j < k - 1) low = i;
        if (i > k - 1) high = j;
    }
    return x[k - 1];
}

static num at_most(const num *x, num n, num k, num level) { /* the k largest together */
    num sum = k * level;
    for (num i = 0; i < n; i++) sum += x[i] > level ? x[i] - level : 0;
    return sum;
}

static int choose_column(const Sizes *c, num t, num way) { /* the one `way` places from the start, to t before it */
    num place = (c->start + way) % c->m, behind = c->m - 1 - way, rest = c->size - t - 1, share = (t + 1) * c->target;
    num inside = 0, later = 0, reach = 0, *more = c->more + t * c->m, *with = c->with + t * c->m;
    if (late()) return OPEN;
    c->chosen[t] = place;
    for (num u = 0; u <= t; u++) inside += part_of_column(c, t, place, c->chosen[u]);
    if (rest == 0) return inside >= share ? REFUSED : HOLDS;
    for (num i = 0, column = place; i < behind; i++) {
        if (++column == c->m) column = 0;
        later += more[i] = part_of_column(c, t, place, column);
    }
    if (inside + later < share || inside + at_most(more, behind, rest, c->level[t]) < share) return HOLDS;
    memcpy(c->copy, more, (size_t)behind * sizeof *more);
    num level = c->level[t] = largest(c->copy, behind, rest);
    if (inside + at_most(more, behind, rest, level) < share) return HOLDS;
    for (num i = behind; i-- > 0;) {
        with[i] = inside + more[i] + (rest - 1) * level + reach;
        reach += more[i] > level ? more[i] - level : 0;
    }
    add_column(c, t, place);
    for (num i = 0; i <= behind - rest; i++) {
        int code = with[i] >= share ? choose_column(c, t + 1, way + 1 + i) : HOLDS;
        if (code != HOLDS) return code;
    }
    return HOLDS;
}

static int no_cover_by_size(const Duals *d, const Ring *ring) {
    const Matrix *x = &d->x;
    num *place = TAKE(x->m, num), *name = TAKE(x->n * x->m, num), m = 0, n = 0, most = 0;
    Sizes c = {.target = d->omega + 1, .first = TAKE(x->m + 1, num)};
    if (d->sum <= d->omega) return HOLDS;
    for (num q = 0; q < x->m; q++) { /* columns without a price only charge, and no best set needs them */
        num j = ring->order[q], before = n;
        place[j] = -1;
        for (num i = 0; i < x->n; i++)
            if (d->price[i * x->m + j] > 0) name[i * x->m + j] = n++;
        if (n == before) continue;
        n = (n + IN_COLUMN - 1) / IN_COLUMN * IN_COLUMN;
        place[j] = m++;
        c.first[m] = n;
    }
    wide all = d->sum;
    for (num l = 0; l < d->count; l++) all += d->links[l].amount;
    /* No number is above size * all, and at most three of them are added up. */
    if (m > MOST_CIRCLE || 4 * m * all >= LIMIT || n > MOST_SUMS / (5 * m + 5)) return OPEN;
    c.m = m, c.width = n;
    c.price = TAKE(n, num), c.charge = TAKE(m * n, num);
    for (num at = 0; at < x->n * x->m; at++)
        if (d->price[at] > 0) c.price[name[at]] = d->price[at];
    for (num l = 0; l < d->count; l++) {
        const Link *link = d->links + l;
        if (d->price[link->one] > 0 && place[link->zero % x->m] >= 0)
            c.charge[place[link->zero % x->m] * n + name[link->one]] += link->amount;
    }
    for (num q = 0; q < m; q++) { /* the largest sum of a column, or of charges on a one */
        num column = 0;
        for (num e = c.first[q]; e < c.first[q + 1]; e++) {
            num charged = 0;
            column += c.price[e];
            for (num j = 0; j < m; j++) charged += c.charge[j * n + e];
            if (charged > most) most = charged;
        }
        if (column > most) most = column;
    }
    c.step = TAKE(m * n, num), c.sum = TAKE((m + 1) * n, num);
    c.step32 = TAKE(m * n, int32_t), c.sum32 = TAKE((m + 1) * n, int32_t);
    c.chosen = TAKE(m, num), c.level = TAKE(m, num), c.copy = TAKE(m, num);
    c.more = TAKE(m * m, num), c.with = TAKE(m * m, num);
    for (c.size = 1; c.size <= m; c.size++) {
        c.narrow = c.size * most <= INT32_MAX;
        for (num j = 0; j < m; j++)
            for (num e = 0; e < n; e++) {
                num z = c.price[e] - c.size * c.charge[j * n + e];
                if (c.narrow) c.step32[j * n + e] = (int32_t)z;
                else c.step[j * n + e] = z;
            }
        for (num t = 0; t < m; t++) c.level[t] = 0;
        for (c.start = 0; c.start < m; c.start++) {
            int code = choose_column(&c, 0, 0);
            if (code != HOLDS) return code;
        }
    }
    return HOLDS;
}

static num check_part(Reader *r, const Matrix *whole, char *used, num k, const char *name, Proved *proved) {
    Map rows = read_map(r, "row_map", whole->n), columns = read_map(r, "column_map", whole->m);
    for (num i = 0; i < whole->n; i++)
        for (num j = 0; j < whole->m; j++)
            if (rows.to[i] >= 0 && columns.to[j] >= 0 && used[i * whole->m + j]++)
                refuse("%s: two parts share an entry", name);
    Ring ring;
    Duals d = read_duals(r, whole, &rows, &columns, k, &ring, name);
    nodes = 0;
    conclude(!ring.m ? no_cover_above_omega(&d) : ring.weight ? no_cover_around(&d, &ring) : no_cover_by_size(&d, &ring),
             name, proved);
    return d.top > 0 ? (num)ceiling(d.top, d.scale) : 0; /* weights are whole, so the error on the part is */
}

/* What the parts add up to, which is at most the error. */
static num cover_bound(Reader *r, const Matrix *x, num k, const char *name, Proved *proved) {
    line(r, "on error");
    num total = 0;
    Matrix side = read_transposed(r) ? transposed(x) : *x;
    char *used = TAKE(x->n * x->m, char), title[100];
    num parts = field(r, "parts", 0);
    for (num u = 0; u < parts; u++) {
        Piece *mark = taken;
        line(r, "part");
        snprintf(title, sizeof title, "%s, part %" PRId64, name, u + 1);
        total = small((wide)total + check_part(r, &side, used, k, title, proved), name);
        give_back(mark);
    }
    Fraction bound = fraction_field(r, "bound"), rounded = fraction_field(r, "rounded");
    if (!same(bound, total, 1) || !same(rounded, total, 1))
        refuse("%s: the bound is not what the parts add up to", name);
    return total;
}

static void check_assigned_cover(Reader *r, const Matrix *x, num k, const char *name, Proved *proved) {
    num total = cover_bound(r, x, k, name, proved);
    say("passed", "%s: error >= %" PRId64 " follows from its parts", name, total);
    remember(proved, k, 1, (Fraction){0, 1}, total, 1);
}

/* ---------------------------------------------------------------- kind column_search

   With W the weight of all ones, an error below E is a gain (ones less zeros that are covered) of W - E + 1 or
   more. The shares of the columns add up to at most scale times that, and no choice for the columns gains it. */

static void check_column_search(Reader *r, const Matrix *x, num k, const char *name, Proved *proved) {
    line(r, "on error");
    num turned = read_transposed(r), scale = field(r, "scale", 1), ones = 0;
    num m = turned ? x->n : x->m, n = turned ? x->m : x->n, *share = TAKE(m, num), *usual = TAKE(m, num);
    num *gain = TAKE(m * n, num);
    char *placed = TAKE(m, char);
    wide shares = 0;
    word(r, "order ");
    for (num u = 0; u < m; u++) {
        num j = number(r, 0, u + 1 < m ? ' ' : '\n');
        if (j >= m || placed[j]++) refuse("%s: the order has a column that is not there, or has one twice", name);
        for (num i = 0; i < n; i++) {
            num at = turned ? j * x->m + i : i * x->m + j;
            gain[u * n + i] = x->value[at] == 1 ? x->weight[at] : x->value[at] == 0 ? -x->weight[at] : 0;
            ones += x->value[at] == 1 ? x->weight[at] : 0;
        }
    }
    word(r, "shares ");
    for (num u = 0; u < m; u++) shares += share[u] = number(r, 1, u + 1 < m ? ' ' : '\n');
    word(r, "usual ");
    for (num u = 0; u < m; u++)
        if ((usual[u] = number(r, 0, u + 1 < m ? ' ' : '\n')) > 1000)
            refuse("%s: a column is usual more often than always", name);
    field(r, "nodes", 0); /* for information: how long the search was */
    Fraction bound = fraction_field(r, "bound"), rounded = fraction_field(r, "rounded");
    num error = bound.top;
    if (bound.bottom != 1 || error < 0 || !same(rounded, error, 1))
        refuse("%s: the bound is not a whole number, or not rounded as it must be", name);
    if (shares > (wide)scale * (ones - error + 1)) refuse("%s: the shares are more than the gain", name);
    nodes = 0;
    int code = no_choice_gains(gain, m, n, k, share, usual, scale, ones - error + 1);
    if (code == REFUSED) refuse("%s: a factorisation has an error below %" PRId64, name, error);
    if (code == OPEN) proved->open = 1;
    say(code == HOLDS ? "passed" : "not checked",
        "%s: no factorisation has an error below %" PRId64 " (%" PRId64 " nodes)", name, error, nodes);
    remember(proved, k, 1, (Fraction){0, 1}, error, 1);
}

/* ---------------------------------------------------------------- kind enumeration

   A point is prices and charges of an assigned cover of the whole matrix. Let V(b) be what the best rectangle with the
   columns b is worth there, and J(b, c) what both sets can be worth if each row has one of b, c, their union, or
   nothing. Divide the k sets of a factorisation into some pairs and single sets, and give each covered one to one of
   these that covers it. As for kind assigned_cover, scale times the error is at least sum p less the J of the pairs
   and the V of the others. So with an error below E these are worth need = sum p - scale (E - 1) or more, and

     1. no set being worth more than omega, each is worth need - (k - 1) omega: a walk at the first point lists them;
     2. with the largest V of the list in place of omega, the same holds at every point, and shortens the list;
     3. k V_max - need is the room of a choice: what the V of its sets fall short of V_max, and, for any pairs that
        share no set, V(b) + V(c) - J(b, c), must not add up to more. The error of every choice that has room is computed.

   A value above V or J takes nothing from this: sets and choices stay that need not. */

typedef struct { num row, column, price, first, own, last; } Priced; /* a one; its tolls, those of its own row first */
typedef struct { num row, column, amount; } Toll;                   /* a charge on it; row: place in the block */
typedef struct {
    const Blocks *blocks;
    num *first;      /* ones of block u: first[u] .. first[u + 1] - 1, in the order of rows */
    Priced *one;
    Toll *toll;
    num size;        /* of the largest block, in ones */
    num *rest;       /* 3 size numbers for each row decided: what is left of each one in each of up to 3 sets */
    num *cross;      /* of each one, row of its block and set: what the row charges it with that set */
    num tries;
} Scales;

static Scales make_scales(const Duals *d) {
    const Blocks *b = &d->blocks;
    num m = d->x.m, ones = 0, tolls = 0, *count = TAKE(d->x.n * m + 1, num), *mine = TAKE(d->x.n * m, num);
    for (num at = 0; at < d->x.n * m; at++) ones += d->price[at] > 0;
    Scales s = {.blocks = b, .first = TAKE(b->count + 1, num), .one = TAKE(ones, Priced), .toll = TAKE(d->count, Toll)};
    for (num c = 0; c < d->count; c++) {
        const Link *l = d->links + c;
        count[l->one]++;
        mine[l->one] += l->zero / m == l->one / m;
    }
    ones = 0;
    for (num u = 0; u < b->count; u++) {
        for (num t = b->first[u]; t < b->first[u + 1]; t++)
            for (num at = b->row[t] * m; at < (b->row[t] + 1) * m; at++) {
                num after = tolls + mine[at];
                if (d->price[at] == 0) {
                    count[at] = mine[at] = -1;
                    continue;
                }
                s.one[ones++] = (Priced){t - b->first[u], at % m, d->price[at], tolls, after, tolls + count[at]};
                mine[at] = tolls; /* from now on, where the next one goes */
                tolls += count[at];
                count[at] = after;
            }
        s.first[u + 1] = ones;
        if (ones - s.first[u] > s.size) s.size = ones - s.first[u];
    }
    for (num c = 0; c < d->count; c++) {
        const Link *l = d->links + c;
        if (count[l->one] < 0) continue; /* a one without a price is worth nothing */
        num *next = l->zero / m == l->one / m ? mine : count;
        s.toll[next[l->one]++] = (Toll){b->place[l->zero / m], l->zero % m, l->amount};
    }
    s.rest = TAKE(3 * s.size * (MOST_ROWS + 1), num);
    s.cross = TAKE(3 * s.size * MOST_ROWS, num);
    return s;
}

/* What is left of the ones of a block in each set, after the charges of their own rows. */
static void weigh_rows(const Scales *s, num u, const num *set, num sets) {
    for (num e = s->first[u]; e < s->first[u + 1]; e++)
        for (num c = 0; c < sets; c++) {
            const Priced *one = s->one + e;
            num x = 0;
            if (set[c] >> one->column & 1) {
                x = one->price;
                for (num t = one->first; t < one->own; t++)
                    if (set[c] >> s->toll[t].column & 1) x -= s->toll[t].amount;
            }
            s->rest[(e - s->first[u]) * sets + c] = x > 0 ? x : 0;
        }
}

static void weigh_crossing(const Scales *s, num u, const num *set, num sets) {
    memset(s->cross, 0, (size_t)((s->first[u + 1] - s->first[u]) * MOST_ROWS * sets) * sizeof *s->cross);
    for (num e = s->first[u]; e < s->first[u + 1]; e++)
        for (num t = s->one[e].own; t < s->one[e].last; t++)
            for (num c = 0; c < sets; c++)
                if (set[c] >> s->toll[t].column & 1)
                    s->cross[((e - s->first[u]) * MOST_ROWS + s->toll[t].row) * sets + c] += s->toll[t].amount;
}

/* Each row takes the set in which most is left: no less than can be reached, and just that where all are decided. */
static num within_reach(const Scales *s, num u, const num *rest, num sets) {
    const Priced *one = s->one + s->first[u];
    num ones = s->first[u + 1] - s->first[u], total = 0;
    for (num q = 0, next; q < ones; q = next) {
        num most = 0;
        for (num c = 0; c < sets; c++) {
            num sum = 0;
            for (next = q; next < ones && one[next].row == one[q].row; next++)
                sum += rest[next * sets + c] > 0 ? rest[next * sets + c] : 0;
            most = sum > most ? sum : most;
        }
        total += most;
    }
    return total;
}

/* Rows 0 .. r-1 of block u are decided; raise *best to the best choice, or to `reach` after too many tries. */
static void give_rows(Scales *s, num u, num r, num sets, num reach, num *best) {
    const Priced *one = s->one + s->first[u];
    num ones = s->first[u + 1] - s->first[u], size = 3 * s->size, *rest = s->rest + r * size, *next = rest + size;
    num most = within_reach(s, u, rest, sets);
    if (most <= *best) return;
    if (r == rows_of(s->blocks, u)) {
        *best = most;
        return;
    }
    if (s->tries-- == 0) *best = reach;
    for (num given = sets - 1; given >= -1; given--) {
        num own = 0, harms = 0;
        for (num q = 0; q < ones; q++)
            for (num c = 0; c < sets; c++) {
                num x = given < 0 ? 0 : s->cross[(q * MOST_ROWS + r) * sets + given], old = rest[q * sets + c];
                int here = one[q].row == r;
                own += here && c == given && old > 0;
                harms += x > 0 && old > 0;
                next[q * sets + c] = here && c != given ? 0 : old - x;
            }
        if (given >= 0 && !own) continue; /* no better than nothing */
        give_rows(s, u, r + 1, sets, reach, best);
        if (sets == 1 && given == 0 && !harms) return; /* nothing is better without it */
    }
}

static num group_worth(Scales *s, num u, const num *set, num sets, num known) {
    num best = known, reach;
    weigh_rows(s, u, set, sets);
    reach = within_reach(s, u, s->rest, sets);
    if (rows_of(s->blocks, u) == 1 || reach <= known) return reach > known ? reach : known;
    weigh_crossing(s, u, set, sets);
    s->tries = MOST_TRIES;
    give_rows(s, u, 0, sets, reach, &best);
    return best;
}

/* Of each set, what it is worth in each block (`by_block`, not if NULL) and in all. */
static int weigh_sets(Scales *s, const num *set, num count, num *by_block, num *worth) {
    for (num v = 0; v < count; v++) {
        if (late()) return OPEN;
        worth[v] = 0;
        for (num u = 0; u < s->blocks->count; u++) {
            num x = group_worth(s, u, set + v, 1, 0);
            worth[v] += x;
            if (by_block) by_block[v * s->blocks->count + u] = x;
        }
    }
    return HOLDS;
}

/* V(b) + V(c) - J(b, c), or more than `room` if it is more. */
static num deficit_of(Scales *s, num b, num c, const num *of_b, const num *of_c, num room, num *reach) {
    num set[3] = {b, c, b | c}, deficit = 0;
    for (num u = 0; u < s->blocks->count; u++) { /* first what is soon known */
        weigh_rows(s, u, set, 3);
        reach[u] = within_reach(s, u, s->rest, 3);
        if (reach[u] > of_b[u] + of_c[u]) reach[u] = of_b[u] + of_c[u];
        deficit += of_b[u] + of_c[u] - reach[u];
    }
    for (num u = 0; u < s->blocks->count && deficit <= room; u++) {
        num known = of_b[u] > of_c[u] ? of_b[u] : of_c[u]; /* either set by itself */
        if (reach[u] <= known || rows_of(s->blocks, u) == 1) continue;
        num worth = group_worth(s, u, set, 3, known);
        if (worth < reach[u]) deficit += reach[u] - worth;
    }
    return deficit;
}

/* A search for k sets, with repetition, the best first, whose errors are computed. */
typedef struct {
    num k, count, room, unit, error, ones, tried;
    const num *set, *fall;       /* by how much a set falls short of the best, rising */
    const uint16_t *deficit;     /* count x count, in units, rounded down */
    num *list, *chosen;          /* of each depth: sets that can follow; the one that was taken */
    num *match;                  /* by subset of those chosen: the pairs that share no set with the largest deficits */
    num n, m, *gain;             /* by column and row: weight of a one, minus that of a zero */
    num *covered, *gained, *best; /* by code: its columns, what each row gains; by depth: what it gains with its best code */
} Hunt;

static num heaviest(const Hunt *h, num subset, num depth, num v) { /* pairs of `subset`, of `depth` sets, and v */
    num best = h->match[subset];
    for (num t = 0; t < depth; t++) {
        if (!(subset >> t & 1)) continue;
        num with = h->match[subset ^ (num)1 << t] + h->deficit[h->chosen[t] * h->count + v];
        best = with > best ? with : best;
    }
    return best;
}

static int fits(const Hunt *h, num falls, num match) { return falls + h->unit * match <= h->room; }

static void gain_with(Hunt *h, num depth, num set) {
    num bit = (num)1 << depth, n = h->n, *before = h->best + depth * n, *after = before + n;
    memcpy(after, before, (size_t)n * sizeof *after);
    for (num code = 0; code < bit; code++) {
        num fresh = set & ~h->covered[code], *gained = h->gained + (code | bit) * n;
        h->covered[code | bit] = h->covered[code] | fresh;
        memcpy(gained, h->gained + code * n, (size_t)n * sizeof *gained);
        for (num j = 0; j < h->m; j++)
            for (num i = 0; fresh >> j & 1 && i < n; i++) gained[i] += h->gain[j * n + i];
        for (num i = 0; i < n; i++) after[i] = gained[i] > after[i] ? gained[i] : after[i];
    }
}

static int hunt(Hunt *h, num depth, num size, num falls) {
    num bit = (num)1 << depth, *list = h->list + depth * h->count, *next = list + h->count;
    for (num a = 0; a < size; a++) {
        num u = list[a], open = h->k - depth, after = falls + h->fall[u];
        if (!fits(h, falls + open * h->fall[u], h->match[bit - 1])) return HOLDS; /* nor do those that come after it */
        if (late()) return OPEN;
        for (num subset = 0; subset < bit; subset++) h->match[subset | bit] = heaviest(h, subset, depth, u);
        h->chosen[depth] = u;
        if (!fits(h, falls + open * h->fall[u], h->match[2 * bit - 1])) continue;
        gain_with(h, depth, h->set[u]);
        if (open == 1) {
            num gain = 0;
            for (num i = 0; i < h->n; i++) gain += h->best[h->k * h->n + i];
            h->tried++;
            if (h->ones - gain < h->error) return REFUSED;
            continue;
        }
        num more = 0;
        for (num b = a; b < size; b++) {
            num v = list[b], least = after + h->fall[v] + (open - 2) * h->fall[u];
            if (fits(h, least, heaviest(h, 2 * bit - 1, depth + 1, v))) next[more++] = v;
        }
        int code = hunt(h, depth + 1, more, after);
        if (code != HOLDS) return code;
    }
    return HOLDS;
}

static int by_size(const void *a, const void *b) {
    num x = *(const num *)a, y = *(const num *)b;
    return (x > y) - (x < y);
}

/* What k sets are worth together if their error is below E. */
static num need_of(const Duals *d, num error, const char *name) {
    num need = small(d->sum - (wide)d->scale * (error - 1), name);
    return need > 0 ? need : 0;
}

/* Step 2: how many of the sets are left by all points; -1 if time is over. */
static num left_by_all(const Duals *point, num points, num *set, num count, num k, num error, const char *name) {
    num *worth = TAKE(count, num), settled = 0;
    Scales *s = TAKE(points, Scales);
    for (num u = 0; u < points; u++) s[u] = make_scales(point + u);
    for (num u = 0; count && settled < points; u = (u + 1) % points) {
        num best = 0, kept = 0;
        if (weigh_sets(s + u, set, count, NULL, worth) == OPEN) return -1;
        for (num v = 0; v < count; v++) best = worth[v] > best ? worth[v] : best;
        wide least = need_of(point + u, error, name) - (k - 1) * (wide)best;
        for (num v = 0; v < count; v++)
            if (worth[v] >= least) set[kept++] = set[v];
        settled = kept < count ? 1 : settled + 1; /* so many points in a row leave all of them */
        count = kept;
    }
    return count;
}

typedef struct { num fall, set; const num *by_block; } Ranked;

static int by_fall(const void *a, const void *b) {
    const Ranked *x = a, *y = b;
    return x->fall != y->fall ? (x->fall > y->fall) - (x->fall < y->fall) : by_size(&x->set, &y->set);
}

/* Step 3. */
static int no_better_choice(const Duals *d, const num *set, num count, num k, num error, num *tried, const char *name) {
    num blocks = d->blocks.count, best = 0, n = d->x.n, m = d->x.m;
    if (count > MOST_SETS || count * blocks > MOST_SUMS) return OPEN;
    num *worth = TAKE(count, num), *by_block = TAKE(count * blocks, num), *reach = TAKE(blocks, num);
    Scales s = make_scales(d);
    if (weigh_sets(&s, set, count, by_block, worth) == OPEN) return OPEN;
    for (num v = 0; v < count; v++) best = worth[v] > best ? worth[v] : best;
    num room = k * best - need_of(d, error, name);
    if (count == 0 || room < 0) return HOLDS;
    Ranked *ranked = TAKE(count, Ranked);
    for (num v = 0; v < count; v++) ranked[v] = (Ranked){best - worth[v], set[v], by_block + v * blocks};
    qsort(ranked, (size_t)count, sizeof *ranked, by_fall);
    num *sets = TAKE(count, num), *fall = TAKE(count, num);
    uint16_t *table = TAKE(count * count, uint16_t);
    Hunt h = {.k = k, .count = count, .room = room, .unit = room / (UINT16_MAX - 1) + 1, .error = error, .set = sets,
              .fall = fall, .deficit = table, .n = n, .m = m};
    for (num v = 0; v < count; v++) sets[v] = ranked[v].set, fall[v] = ranked[v].fall;
    for (num v = 0; v < count; v++)
        for (num w = v; w < count; w++) {
            num rest = room - fall[v] - fall[w], deficit = UINT16_MAX;
            if (rest >= 0) {
                if (late()) return OPEN;
                num found = deficit_of(&s, sets[v], sets[w], ranked[v].by_block, ranked[w].by_block, rest, reach);
                if (found <= rest) deficit = found / h.unit; /* else they do not go together: more than there is room */
            }
            table[v * count + w] = table[w * count + v] = (uint16_t)deficit;
        }
    h.list = TAKE(k * count, num), h.chosen = TAKE(k, num), h.match = TAKE((num)1 << k, num);
    h.covered = TAKE((num)1 << k, num), h.gained = TAKE(n << k, num), h.best = TAKE((k + 1) * n, num);
    h.gain = TAKE(m * n, num);
    for (num at = 0; at < n * m; at++) {
        num sign = d->x.value[at] == 1 ? 1 : d->x.value[at] == 0 ? -1 : 0;
        h.gain[at % m * n + at / m] = sign * d->x.weight[at];
        h.ones += sign == 1 ? d->x.weight[at] : 0;
    }
    for (num v = 0; v < count; v++) h.list[v] = v;
    int code = hunt(&h, 0, count, 0);
    *tried = h.tried;
    return code;
}

static int search_sets(const Duals *point, num points, num k, num error, num *listed, num *left, num *tried, const char *name) {
    num n = point->x.n, m = point->x.m, *place = TAKE(m, num);
    if (k > MOST_CHOSEN || m > MOST_COLUMNS || n > MOST_SUMS >> (k + 1)) return OPEN;
    for (num u = 0; u < points; u++)
        if ((wide)8 * k * point[u].sum >= LIMIT) return OPEN;
    wide least = need_of(point, error, name) - (k - 1) * (wide)point->omega - 1;
    Walk w = start_walk(point, place, place_columns(point, 1, place));
    w.lists = 1;
    w.most = point->omega;
    w.limit = least < -1 ? -1 : least < point->omega ? (num)least : point->omega;
    int code = walk(&w, 0);
    if (code == REFUSED) refuse("%s: at point 1 a rectangle is worth more than omega", name);
    if (code == OPEN) return OPEN;
    *listed = w.count;
    *left = left_by_all(point, points, w.set, w.count, k, error, name);
    return *left < 0 ? OPEN : no_better_choice(point, w.set, *left, k, error, tried, name);
}

static void check_enumeration(Reader *r, const Matrix *x, num k, const char *name, Proved *proved) {
    line(r, "on error");
    Matrix side = read_transposed(r) ? transposed(x) : *x;
    num points = field(r, "points", 1), listed = 0, left = 0, tried = 0;
    char title[100];
    if (points > (r->end - r->at) / 60) expected(r, "more points");
    Duals *point = TAKE(points, Duals);
    for (num u = 0; u < points; u++) {
        line(r, "point");
        snprintf(title, sizeof title, "%s, point %" PRId64, name, u + 1);
        Map maps[2] = {read_map(r, "row_map", side.n), read_map(r, "column_map", side.m)};
        for (int v = 0; v < 2; v++)
            for (num i = 0; i < maps[v].size; i++)
                if (maps[v].to[i] != i) refuse("%s: it must have every row and column as it is", title);
        point[u] = read_duals(r, &side, maps, maps + 1, k, NULL, title);
    }
    if (point->sum == 0) refuse("%s, point 1: it has no price, and so leaves everything", name);
    field(r, "sets", 0); /* for information, like the next line */
    field(r, "choices", 0);
    Fraction bound = fraction_field(r, "bound"), rounded = fraction_field(r, "rounded");
    num error = bound.top;
    if (bound.bottom != 1 || error < 0 || !same(rounded, error, 1))
        refuse("%s: the bound is not a whole number, or not rounded as it must be", name);
    nodes = 0;
    int code = search_sets(point, points, k, error, &listed, &left, &tried, name);
    if (code == REFUSED) refuse("%s: a factorisation has an error below %" PRId64, name, error);
    if (code == OPEN) proved->open = 1;
    say(code == HOLDS ? "passed" : "not checked",
        "%s: no factorisation has an error below %" PRId64 " (%" PRId64 " sets listed, %" PRId64 " left, %" PRId64
        " choices, %" PRId64 " nodes)", name, error, listed, left, tried, nodes);
    remember(proved, k, 1, (Fraction){0, 1}, error, 1);
}

/* ---------------------------------------------------------------- kind tree

   A node is split, with a child for each outcome, or proved. The splits, where s rectangles are named:
     entry i j    some rectangle covers the entry; none does
     owner i j    the named rectangles 0 .. s-1 in turn cover it; if s < k, a further one does, and is named; none does
     row u i      row i is in the named rectangle u; it is not (and so for column u j)
   Every factorisation keeps to one outcome of each: the k rectangles have no order, so any of those without a name
   may be named next. So it keeps to the path to some leaf, and the least bound of a leaf holds for all.

   A leaf is proved by a contradiction on its path, by an assigned cover of what is left (for the error, where nothing
   is named), or by prices p. Those are 0 where the one is decided to be uncovered, at most scale * weight where it is
   not decided, and without a limit where it must be covered. Worths are p(R) - scale rho zeros(R), zeros that
   must be covered not counted. With omega_u at least the worth of every rectangle that may be the named u, and omega >= 0 at
   least that of every rectangle that covers nothing forbidden, the cost of what keeps to the path is at least what is
   paid by decision and (sum p - sum omega_u - (k - s) omega) / scale, as for kind mlp. */

enum { ENTRY, OWNER, ROW, COLUMN };
enum { YES = 1, NO = 2 }; /* bits: both are a contradiction */

typedef struct { num parent, outcome, split, u, v, named; } Node;
typedef struct { const Node *all; num count; num **array; num *length, arrays, k; int on_error; Fraction rho; } Tree;

/* What the path to a leaf decides: YES or NO of each entry, and of rows and columns of each named rectangle. */
typedef struct { num named; char *entry, *row, *column; } Path;

static num outcomes(const Node *node, num k) {
    return node->split == OWNER ? node->named + (node->named < k) + 1 : 2;
}

static Path path_to(const Tree *t, const Matrix *x, num place) {
    num named = t->all[place].named;
    if (named > LIMIT / (x->n + x->m)) malformed("not enough memory");
    Path p = {named, TAKE(x->n * x->m, char), TAKE(named * x->n, char), TAKE(named * x->m, char)};
    for (; t->all[place].parent >= 0; place = t->all[place].parent) {
        const Node *above = t->all + t->all[place].parent;
        num outcome = t->all[place].outcome, u = above->u, v = above->v;
        int last = outcome + 1 == outcomes(above, t->k);
        if (above->split == ENTRY || (above->split == OWNER && last)) p.entry[u * x->m + v] |= last ? NO : YES;
        if (above->split == OWNER && !last) p.row[outcome * x->n + u] |= YES, p.column[outcome * x->m + v] |= YES;
        if (above->split == ROW) p.row[u * x->n + v] |= last ? NO : YES;
        if (above->split == COLUMN) p.column[u * x->m + v] |= last ? NO : YES;
    }
    return p;
}

static int contradicts(const Path *p, const Matrix *x) {
    for (num at = 0; at < p->named * x->n; at++) if (p->row[at] == (YES | NO)) return 1;
    for (num at = 0; at < p->named * x->m; at++) if (p->column[at] == (YES | NO)) return 1;
    for (num at = 0; at < x->n * x->m; at++) {
        if (p->entry[at] == (YES | NO)) return 1;
        for (num u = 0; p->entry[at] == NO && u < p->named; u++)
            if (p->row[u * x->n + at / x->m] & YES && p->column[u * x->m + at % x->m] & YES) return 1;
    }
    return 0;
}

/* Places of rows (or columns) in the matrix of rectangles that may be the named one: those that are in it share
   place 0, those that are out have none. Without a name each has its own. */
static num class_places(const char *decided, num size, num *place) {
    num next = decided != NULL;
    for (num i = 0; i < size; i++) {
        int in = decided && decided[i] & YES, out = decided && decided[i] & NO;
        place[i] = in ? 0 : out ? -1 : next++;
    }
    return next;
}

/* Whether no rectangle that may be the named u (or any, u < 0) is worth more than omega. The rectangles of a small
   matrix stand for them: its first entry is raised by more than leaving out the first row or column could bring, an
   entry that holds something forbidden costs more than its row or column could bring. Neither makes a rectangle that
   may be the named one appear to be worth less, so nothing is proved wrongly. */
static int no_member_above(const Path *p, const Matrix *x, const num *H, num u, num omega, const char *name) {
    num *row = TAKE(x->n, num), *column = TAKE(x->m, num);
    num n = class_places(u < 0 ? NULL : p->row + u * x->n, x->n, row);
    num m = class_places(u < 0 ? NULL : p->column + u * x->m, x->m, column);
    num *G = TAKE(n * m, num), *by_row = TAKE(n, num), *by_column = TAKE(m, num), raised = 0, all = 0;
    char *closed = TAKE(n * m, char);
    for (num i = 0; i < x->n; i++)
        for (num j = 0; j < x->m; j++) {
            if (row[i] < 0 || column[j] < 0) continue;
            num at = row[i] * m + column[j];
            G[at] = small((wide)G[at] + H[i * x->m + j], name);
            closed[at] |= p->entry[i * x->m + j] == NO;
        }
    for (num at = 0; at < n * m; at++)
        if (!closed[at] && G[at] > 0) by_row[at / m] += G[at], by_column[at % m] += G[at];
    for (num i = 0; i < n; i++)
        for (num j = 0; j < m; j++) {
            if (!closed[i * m + j]) continue;
            num lost = by_row[i] < by_column[j] ? by_row[i] : by_column[j];
            if (u >= 0) lost = i == 0 ? by_column[j] : by_row[i]; /* the first row and column stay */
            G[i * m + j] = -lost - 1;
        }
    if (u >= 0) {
        wide lost = 1;
        for (num j = 0; j < m; j++) lost -= G[j] < 0 ? G[j] : 0;
        for (num i = 0; i < n; i++) lost -= G[i * m] < 0 ? G[i * m] : 0;
        raised = small(lost, name);
        G[0] = small((wide)G[0] + raised, name);
    }
    for (num at = 0; at < n * m; at++) all = small((wide)all + (G[at] < 0 ? -G[at] : G[at]), name);
    num limit = small((wide)omega + raised, name);
    if (limit < 0) refuse("%s: an omega is less than what a rectangle is worth", name);
    return no_rectangle_above(G, n, m, limit);
}

/* What the path has paid for, times the bottom of rho where that is the price of a zero. */
static num paid(const Path *p, const Matrix *x, Fraction zero_price, const char *name) {
    num sum = 0;
    for (num at = 0; at < x->n * x->m; at++) {
        if (p->entry[at] == NO && x->value[at] == 1) sum = small(sum + (wide)x->weight[at] * zero_price.bottom, name);
        if (p->entry[at] == YES && x->value[at] == 0) sum = small(sum + (wide)x->weight[at] * zero_price.top, name);
    }
    return sum;
}

/* The bound of a leaf by prices, in units of 1 / bottom of the price of a zero, rounded up. */
static num leaf_by_prices(Reader *r, const Tree *t, const Path *p, const Matrix *x, const char *name, Proved *proved) {
    Fraction rho = rho_field(r), price = t->on_error ? (Fraction){1, 1} : t->rho;
    num scale = field(r, "scale", 1), which = field(r, "p", 0), total = 0, one = 0, code = HOLDS, zeros = 0;
    if (t->on_error ? (wide)rho.top * t->k > rho.bottom : !same(rho, t->rho.top, t->rho.bottom))
        refuse("%s: its rho is not what it must be", name);
    if ((wide)rho.top * scale % rho.bottom) refuse("%s: scale times rho must be whole", name);
    if (which >= t->arrays) refuse("%s: its prices are not there", name);
    num zero = small((wide)rho.top * scale / rho.bottom, name), *H = TAKE(x->n * x->m, num);
    for (num at = 0; at < x->n * x->m; at++) {
        if (x->value[at] == 0 && !p->entry[at]) {
            H[at] = -small((wide)zero * x->weight[at], name);
            zeros = small((wide)zeros - H[at], name);
        }
        if (x->value[at] != 1) continue;
        if (one == t->length[which]) refuse("%s: a price for each one is needed", name);
        H[at] = t->array[which][one++];
        total = small((wide)total + H[at], name);
        if (p->entry[at] == NO && H[at]) refuse("%s: a price of what is paid for", name);
        if (!p->entry[at] && H[at] > (wide)scale * x->weight[at]) refuse("%s: a price above the weight", name);
    }
    if (one != t->length[which]) refuse("%s: a price for each one is needed", name);
    word(r, "omegas ");
    if (number(r, 1, ' ') != p->named + 1) refuse("%s: an omega for each named rectangle is needed, and one more", name);
    for (num u = 0; u <= p->named; u++) {
        int others = u == p->named;
        num omega = number(r, others ? 0 : -LIMIT, others ? '\n' : ' ');
        num often = others ? t->k - p->named : 1;
        if (!often && omega) refuse("%s: an omega of nothing", name);
        total = small(total - (wide)often * omega, name);
        if (!often) continue;
        Piece *mark = taken;
        num found = no_member_above(p, x, H, others ? -1 : u, omega, name);
        give_back(mark);
        if (found == REFUSED) refuse("%s: a rectangle is worth more than its omega", name);
        if (found == OPEN) code = OPEN;
    }
    if (code == OPEN) {
        proved->open = 1;
        say("not checked", "%s: no rectangle is worth more than its omega", name);
    }
    num before = paid(p, x, price, name), unit = price.bottom;
    num top = small((wide)before * scale + (wide)total * unit, name), bottom = small((wide)unit * scale, name);
    if (!same(fraction_field(r, "bound"), top, bottom)) refuse("%s: its bound is not what follows", name);
    return (num)ceiling(top, scale);
}

/* What is left is the matrix without what is paid for. A one that must be covered has a weight above all; so has a
   zero in the place of what must not be covered. */
static num leaf_by_cover(Reader *r, const Tree *t, const Path *p, const Matrix *x, const char *name, Proved *proved) {
    if (!t->on_error || p->named) refuse("%s: an assigned cover proves the error, where nothing is named", name);
    Matrix y = new_matrix(x->n, x->m);
    num ones = 0, left = 0;
    for (num at = 0; at < x->n * x->m; at++) if (x->value[at] == 1) ones += x->weight[at];
    for (num at = 0; at < x->n * x->m; at++) {
        int taken_out = p->entry[at] && !(p->entry[at] == YES && x->value[at] == 1);
        y.value[at] = (signed char)(taken_out ? -1 : x->value[at]);
        y.weight[at] = taken_out ? 0 : p->entry[at] == YES ? ones + 1 : x->weight[at];
        if (y.value[at] == 1) left = small((wide)left + y.weight[at], name);
    }
    wide all = left;
    for (num at = 0; at < x->n * x->m; at++) {
        if (p->entry[at] == NO) y.value[at] = 0, y.weight[at] = left + 1;
        if (y.value[at] == 0 && (all += y.weight[at]) >= LIMIT) refuse("%s: the weights are too large", name);
    }
    return small((wide)paid(p, x, (Fraction){1, 1}, name) + cover_bound(r, &y, t->k, name, proved), name);
}

static void read_split(Reader *r, const Matrix *x, Node *node, const char *name) {
    static const char *words[] = {"entry ", "owner ", "row ", "column "};
    while (node->split < 4 && !next_is(r, words[node->split])) node->split++;
    if (node->split == 4) refuse("%s: a split that is not known here", name);
    word(r, words[node->split]);
    node->u = number(r, 0, ' ');
    node->v = number(r, 0, '\n');
    if (node->u >= (node->split <= OWNER ? x->n : node->named) || node->v >= (node->split == ROW ? x->n : x->m))
        refuse("%s: a split on what is not there", name);
}

static void read_arrays(Reader *r, Tree *t) {
    t->arrays = field(r, "arrays", 0);
    if (t->arrays > (r->end - r->at) / 2) expected(r, "more arrays"); /* memory is taken for what is there */
    t->array = TAKE(t->arrays, num *);
    t->length = TAKE(t->arrays, num);
    for (num u = 0; u < t->arrays; u++) {
        num size = digits(r, 0);
        if (size > (r->end - r->at) / 2) expected(r, "more prices");
        t->array[u] = TAKE(size, num);
        t->length[u] = size;
        for (num e = 0; e < size; e++) {
            sign(r, ' ');
            t->array[u][e] = digits(r, 0);
        }
        sign(r, '\n');
    }
}

static void check_tree(Reader *r, const Matrix *x, num k, const char *name, Proved *proved) {
    Tree t = {.k = k, .rho = {0, 1}};
    char title[90];
    word(r, "on ");
    t.on_error = next_is(r, "error");
    line(r, t.on_error ? "error" : "objective");
    if (!t.on_error) t.rho = rho_field(r);
    read_arrays(r, &t);
    num count = field(r, "nodes", 1), unit = t.rho.bottom, least = LIMIT, ones = 0, waiting = 1, leaves = 0;
    if (count > (r->end - r->at) / 5) expected(r, "more nodes");
    /* Of the nodes that wait, the last comes next. All wait but once, for a child of each of `count` nodes. */
    Node *all = TAKE(count, Node), *next = TAKE(count + 1, Node);
    num *place = TAKE(count + 1, num);
    t.all = all;
    next[0] = (Node){.parent = -1};
    for (num at = 0; at < x->n * x->m; at++) if (x->value[at] == 1) ones += x->weight[at];
    nodes = 0;
    for (num u = 0; u < count; u++) {
        Piece *mark = taken;
        snprintf(title, sizeof title, "%s, node %" PRId64, name, u);
        if (!waiting) refuse("%s: it is not reached", title);
        all[u] = next[--waiting];
        if (place[waiting] != u) refuse("%s: it is not in its place", title);
        if (next_is(r, "split ")) {
            word(r, "split ");
            read_split(r, x, all + u, title);
            num children = outcomes(all + u, k);
            if (children > count - u - 1 - waiting) refuse("%s: there are not as many nodes as it has children", title);
            word(r, "children ");
            if (number(r, 0, ' ') != children) refuse("%s: a child for each outcome is needed", title);
            for (num c = 0; c < children; c++) {
                num to = waiting + children - 1 - c; /* the first comes next */
                int named = all[u].split == OWNER && c == all[u].named && c + 1 < children;
                next[to] = (Node){.parent = u, .outcome = c, .named = all[u].named + named};
                place[to] = number(r, 0, c + 1 < children ? ' ' : '\n');
            }
            waiting += children;
            continue;
        }
        Path p = path_to(&t, x, u);
        word(r, "leaf ");
        int impossible = contradicts(&p, x);
        num value = small((ones + (wide)1) * unit, title);
        if (impossible != next_is(r, "contradiction\n")) refuse("%s: whether its decisions contradict each other", title);
        if (impossible) line(r, "contradiction");
        else if (next_is(r, "mlp\n")) line(r, "mlp"), value = leaf_by_prices(r, &t, &p, x, title, proved);
        else if (next_is(r, "assigned_cover\n"))
            line(r, "assigned_cover"), value = leaf_by_cover(r, &t, &p, x, title, proved);
        else refuse("%s: its kind of proof is not known here", title);
        if (value < 0) value = 0;
        if (value < least) least = value;
        leaves++;
        give_back(mark);
    }
    if (waiting) refuse("%s: a node is missing", name);
    Fraction bound = fraction_field(r, "bound"), rounded = fraction_field(r, "rounded");
    if (!same(bound, least, unit) || !same(rounded, least, unit)) refuse("%s: the bound is not the least of the leaves", name);
    say("passed", "%s: %s >= %" PRId64 "/%" PRId64 " follows from %" PRId64 " leaves, which leave out nothing", name,
        t.on_error ? "error" : "objective", least, unit, leaves);
    remember(proved, k, t.on_error, t.rho, least, unit);
}

/* ---------------------------------------------------------------- kind column_groups

   For large data. Some rows and columns of a factorisation of rank k are a factorisation of rank k of that part, so
   the least errors of parts that share no entry add up to at most the least error. A group names columns that
   are in no other group, and texts of 0 and 1. Its rows are the rows of the data that are equal to a text on these
   columns; those of one text are merged. A proof of another kind follows, of the error of the group. */

typedef struct { uint64_t bits; num place; } Text;

static int by_bits(const void *a, const void *b) {
    const Text *x = a, *y = b;
    return (x->bits > y->bits) - (x->bits < y->bits);
}

static Matrix read_group(Reader *r, const Matrix *x, char *used, const char *name) {
    line(r, "group");
    word(r, "columns ");
    num m = number(r, 1, ' '), column[MOST_GROUP];
    if (m > MOST_GROUP) refuse("%s: more than %d columns", name, MOST_GROUP);
    for (num j = 0; j < m; j++) {
        column[j] = number(r, 0, j + 1 < m ? ' ' : '\n');
        if (column[j] >= x->m || used[column[j]]++) refuse("%s: a column is not there, or is in the groups twice", name);
    }
    Map rows = {TAKE(x->n, num), x->n, field(r, "rows", 1)};
    const char *bits = read_bits(r, rows.count, m);
    Text *texts = TAKE(rows.count, Text);
    for (num at = 0; at < rows.count * m; at++) {
        texts[at / m].place = at / m;
        texts[at / m].bits |= (uint64_t)bits[at] << at % m;
    }
    qsort(texts, (size_t)rows.count, sizeof *texts, by_bits);
    for (num u = 1; u < rows.count; u++)
        if (texts[u - 1].bits == texts[u].bits) refuse("%s: a row is there twice", name);
    Matrix part = new_matrix(x->n, m);
    for (num i = 0; i < x->n; i++) {
        Text text = {0, 0}, *found = NULL;
        int whole = 1;
        for (num j = 0; j < m; j++) {
            num from = i * x->m + column[j], to = i * m + j;
            part.value[to] = x->value[from];
            part.weight[to] = x->weight[from];
            whole &= part.value[to] >= 0;
            text.bits |= (uint64_t)(part.value[to] == 1) << j;
        }
        if (whole) found = bsearch(&text, texts, (size_t)rows.count, sizeof *texts, by_bits);
        rows.to[i] = found ? found->place : -1;
    }
    Matrix y = merge_rows(&part, &rows, NULL, "rows");
    for (num at = 0; at < y.n * y.m; at++)
        if (y.weight[at] == 0) y.value[at] = -1; /* a text that no row is equal to */
    return y;
}

typedef void Check(Reader *, const Matrix *, num k, const char *name, Proved *);
static Check *read_kind(Reader *r, int large, char *name, size_t room);

static void check_column_groups(Reader *r, const Matrix *x, num k, const char *name, Proved *proved) {
    line(r, "on error");
    num total = 0;
    Matrix side = read_transposed(r) ? transposed(x) : *x;
    char *used = TAKE(side.m, char), title[100];
    num groups = field(r, "groups", 0);
    for (num u = 0; u < groups; u++) {
        Piece *mark = taken;
        Claims claims = {.k = k, .rho = {1, 1}};
        Proved inside = {.claims = &claims};
        snprintf(title, sizeof title, "%s, group %" PRId64, name, u + 1);
        Matrix group = read_group(r, &side, used, title);
        Check *check = read_kind(r, 0, title, sizeof title);
        if (!next_is(r, "on error\n")) refuse("%s: its proof must be on the error", title);
        check(r, &group, k, title, &inside);
        total = small((wide)total + inside.error, name);
        proved->open |= inside.open;
        give_back(mark);
    }
    Fraction bound = fraction_field(r, "bound"), rounded = fraction_field(r, "rounded");
    if (!same(bound, total, 1) || !same(rounded, total, 1))
        refuse("%s: the bound is not what the groups add up to", name);
    say("passed", "%s: error >= %" PRId64 " follows from %" PRId64 " groups that share no entry", name, total, groups);
    remember(proved, k, 1, (Fraction){0, 1}, total, 1);
}

/* ---------------------------------------------------------------- the certificate

   A further kind of proof is a function like those above, which reads the fields after its name, refuses what
   does not hold, and calls `remember`, and a line in this table. */

static const struct { const char *name; Check *check; int large; } kinds[] = {
    {"mlp", check_mlp, 0},
    {"assigned_cover", check_assigned_cover, 0},
    {"column_search", check_column_search, 0},
    {"enumeration", check_enumeration, 0},
    {"tree", check_tree, 0},
    {"column_groups", check_column_groups, 1},
};

/* "kind" and its name, which is added to `name`; large data have a kind of their own, and no other has it. */
static Check *read_kind(Reader *r, int large, char *name, size_t room) {
    size_t length = strlen(name);
    word(r, "kind ");
    for (size_t u = 0; u < sizeof kinds / sizeof *kinds; u++) {
        size_t size = strlen(kinds[u].name);
        if (kinds[u].large != large || !next_is(r, kinds[u].name) || r->at[size] != '\n') continue;
        line(r, kinds[u].name);
        snprintf(name + length, room - length, ", %s", kinds[u].name);
        return kinds[u].check;
    }
    refuse("%s: its kind of proof is not known here", name);
    return NULL;
}

static void check_certificate(Reader *r, const Matrix *x, const char *digest, Proved *proved) {
    char name[60];
    int large = digest[0] == 'r';
    Matrix reduced = *x;
    open_seal(r);
    line(r, "boolfact certificate 1");
    digest_field(r, digest);
    if (field(r, "rows", 1) != x->n || field(r, "columns", 1) != x->m) refuse("certificate: it is for another shape");
    num k = field(r, "k", 1);
    if (!large) {
        Map rows = read_map(r, "row_map", x->n), columns = read_map(r, "column_map", x->m);
        only_empty_dropped(x, &rows, &columns);
        reduced = merge(x, &rows, &columns);
        say("passed", "reduction: %" PRId64 " x %" PRId64 " to %" PRId64 " x %" PRId64, x->n, x->m, reduced.n, reduced.m);
    }
    num count = field(r, "bounds", 0);
    for (num u = 0; u < count; u++) {
        Piece *mark = taken;
        snprintf(name, sizeof name, "bound %" PRId64, u + 1);
        read_kind(r, large, name, sizeof name)(r, &reduced, k, name, proved);
        give_back(mark);
    }
    finish(r);
}

/* ---------------------------------------------------------------- factors and claims */

static void check_factors(Reader *r, const Matrix *x, const char *digest, Claims *c) {
    static const char *names[] = {"error_lower_bound", "objective_lower_bound"};
    digest_field(r, digest);
    if (field(r, "rows", 1) != x->n || field(r, "columns", 1) != x->m) refuse("factors: they are for another shape");
    c->k = field(r, "k", 1);
    c->rho = rho_field(r);
    c->error = field(r, "error", 0);
    c->objective = fraction_field(r, "objective");
    for (int u = 0; u < 2; u++) {
        char none[40];
        snprintf(none, sizeof none, "%s none\n", names[u]);
        c->bounded[u] = !next_is(r, none);
        if (c->bounded[u]) c->bounds[u] = fraction_field(r, names[u]);
        else { word(r, names[u]); line(r, " none"); }
    }
    word(r, "status ");
    for (size_t s = 0; s + 1 < sizeof c->status && r->at < r->end && *r->at != '\n'; s++) c->status[s] = *r->at++;
    sign(r, '\n');
    line(r, "A");
    const char *A = read_bits(r, x->n, c->k);
    line(r, "B");
    const char *B = read_bits(r, c->k, x->m);
    finish(r);
    wide wrong = 0, uncovered = 0, covers = 0;
    for (num i = 0; i < x->n; i++)
        for (num j = 0; j < x->m; j++) {
            num times = 0, at = i * x->m + j;
            for (num l = 0; l < c->k; l++) times += A[i * c->k + l] && B[l * x->m + j];
            if (x->value[at] == 1 && !times) uncovered += x->weight[at];
            if (x->value[at] == 0 && times) wrong += x->weight[at], covers += (wide)x->weight[at] * times;
        }
    if (wrong + uncovered != c->error)
        refuse("error: it is %" PRId64 ", not %" PRId64, (num)(wrong + uncovered), c->error);
    num all = small(covers, "objective"), top = small((wide)all * c->rho.top + uncovered * c->rho.bottom, "objective");
    if (!same(c->objective, top, c->rho.bottom)) refuse("objective: it is %" PRId64 "/%" PRId64, top, c->rho.bottom);
    say("passed", "error: recomputed from A and B: %" PRId64, c->error);
    say("passed", "objective: recomputed from A and B: %" PRId64 "/%" PRId64, c->objective.top, c->objective.bottom);
}

static void check_claims(const Claims *c, const Proved *p) {
    wide unit = c->rho.bottom;
    const char *word = p->open ? "not checked" : "passed"; /* it follows, if what was not finished holds */
    if (c->bounded[0]) {
        if (c->bounds[0].top > (wide)p->error * c->bounds[0].bottom) refuse("the error lower bound is not proved");
        if (c->bounds[0].top > (wide)c->error * c->bounds[0].bottom) refuse("the error lower bound is above the error");
        say(word, "error lower bound: %" PRId64 "/%" PRId64, c->bounds[0].top, c->bounds[0].bottom);
    }
    if (c->bounded[1]) {
        Fraction b = c->bounds[1];
        if (b.top * unit > (wide)p->objective * b.bottom) refuse("the objective lower bound is not proved");
        if ((wide)b.top * c->objective.bottom > (wide)c->objective.top * b.bottom)
            refuse("the objective lower bound is above the objective");
        say(word, "objective lower bound: %" PRId64 "/%" PRId64, b.top, b.bottom);
    }
    int holds = -1;
    if (!strcmp(c->status, "optimal")) holds = p->error >= c->error;
    if (!strcmp(c->status, "objective optimal"))
        holds = (wide)p->objective * c->objective.bottom >= c->objective.top * unit;
    if (!strcmp(c->status, "bounded")) holds = p->error > 0 || p->objective > 0;
    if (!strcmp(c->status, "heuristic")) holds = 1;
    if (holds < 0) malformed("factors.txt: the status is not one that is known");
    if (!holds) refuse("status: %s does not follow from what is proved", c->status);
    say(word, "status: %s", c->status);
}

int main(int count, char **arguments) {
    char digest[70], *end = NULL;
    Reader r;
    Claims claims = {0};
    Proved proved = {.claims = &claims};
    if (count == 3) seconds = strtod(arguments[2], &end);
    if (count < 2 || count > 3 || (end && (*end || !(seconds > 0)))) {
        fprintf(stderr, "usage: boolfact_check FOLDER [SECONDS]\n");
        return MALFORMED;
    }
    if (!open_text(&r, arguments[1], "factors.txt")) malformed("%s/factors.txt is missing", arguments[1]);
    open_seal(&r);
    line(&r, "boolfact factors 1");
    Matrix x = read_data(arguments[1], next_is(&r, "digest rows:"), digest);
    say("read", "data: %" PRId64 " x %" PRId64 ", digest %s", x.n, x.m, digest);
    check_factors(&r, &x, digest, &claims);
    if (open_text(&r, arguments[1], "certificate.txt")) check_certificate(&r, &x, digest, &proved);
    else say("read", "no certificate: nothing is proved");
    check_claims(&claims, &proved);
    say("unchecked", "names of rows and columns, the method, the time that it took");
    give_back(NULL);
    puts(proved.open ? "OPEN: nothing refused, but not everything was checked" : "VERIFIED: every claim holds");
    return proved.open ? OPEN : HOLDS;
}
