/* Serial port: a 16550A with receive FIFO whose transmitter is infinitely fast.
 *
 * Left out: line speed, parity and break (written, read back, ignored), DMA, receive time-out. */
#include "sim/mem/device/devices.h"

enum { RBR_THR = 0, IER = 1, IIR_FCR = 2, LCR = 3, MCR = 4, LSR = 5, MSR = 6, SCR = 7 };
enum { IER_RECEIVE = 1, IER_TRANSMIT = 2, IER_WRITABLE = 15 };
enum { IIR_NONE = 1, IIR_TRANSMIT = 2, IIR_RECEIVE = 4, IIR_FIFO = 0xc0 };
enum { FCR_ENABLE = 1, FCR_CLEAR_RECEIVE = 2 };
enum { LCR_DIVISOR = 0x80 };
enum { MCR_LOOP = 0x10, MCR_WRITABLE = 0x1f };
enum { LSR_READY = 1, LSR_TRANSMITTER_EMPTY = 0x60 };
enum { MSR_CONNECTED = 0xb0 };      /* CTS, DSR, DCD */

static uint8_t pending_interrupt(const struct uart *uart)
{
    if ((uart->ier & IER_RECEIVE) && uart->fifo_length != 0) {
        return IIR_RECEIVE;
    }
    return (uart->ier & IER_TRANSMIT) && uart->sent ? IIR_TRANSMIT : IIR_NONE;
}

static void update_line(struct uart *uart)
{
    plic_set_level(uart->plic, UART_IRQ, pending_interrupt(uart) != IIR_NONE);
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void push(struct uart *uart, uint8_t character)
{
    if (uart->fifo_length < UART_FIFO) {
        uart->fifo[(uart->fifo_head + uart->fifo_length++) % UART_FIFO] = character;
    }
}

static uint8_t pop(struct uart *uart)
{
    if (uart->fifo_length == 0) {
        return 0;
    }
    uint8_t character = uart->fifo[uart->fifo_head];
    uart->fifo_head = (uart->fifo_head + 1) % UART_FIFO;
    uart->fifo_length--;
    return character;
}

void uart_poll(struct uart *uart)
{
    unsigned room = uart->fifo_enabled ? UART_FIFO : 1;
    int character = -1;
    while (uart->fifo_length < room && (character = console_get(uart->console)) >= 0) {
        push(uart, (uint8_t)character);
    }
    update_line(uart);
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint8_t read_identification(struct uart *uart)
{
    uint8_t interrupt = pending_interrupt(uart);
    if (interrupt == IIR_TRANSMIT) {
        uart->sent = false;             /* reading it acknowledges */
    }
    return (uint8_t)(interrupt | (uart->fifo_enabled ? IIR_FIFO : 0));
}

static uint8_t read_line_status(struct uart *uart)
{
    if (uart->fifo_length == 0) {
        uart_poll(uart);
    }
    return (uint8_t)(LSR_TRANSMITTER_EMPTY | (uart->fifo_length != 0 ? LSR_READY : 0));
}

/* In loop-back the modem outputs come back as inputs: DTR, RTS, OUT1, OUT2 as DSR, CTS, RI, DCD. */
static uint8_t read_modem_status(const struct uart *uart)
{
    if (!(uart->mcr & MCR_LOOP)) {
        return MSR_CONNECTED;
    }
    unsigned out = uart->mcr;
    return (uint8_t)((out & 1) << 5 | (out & 2) << 3 | (out & 4) << 4 | (out & 8) << 4);
}

static uint8_t read_register(struct uart *uart, unsigned offset)
{
    bool is_divisor = uart->lcr & LCR_DIVISOR;
    switch (offset) {
    case RBR_THR:
        return is_divisor ? uart->divisor[0] : pop(uart);
    case IER:
        return is_divisor ? uart->divisor[1] : uart->ier;
    case IIR_FCR:
        return read_identification(uart);
    case LCR:
        return uart->lcr;
    case MCR:
        return uart->mcr;
    case LSR:
        return read_line_status(uart);
    case MSR:
        return read_modem_status(uart);
    case SCR:
        return uart->scratch;
    default:
        return 0;
    }
}

static void transmit(struct uart *uart, uint8_t character)
{
    if (uart->mcr & MCR_LOOP) {
        push(uart, character);
    } else {
        console_put(uart->console, character);
    }
    uart->sent = true;
}

static void write_control(struct uart *uart, uint8_t value)
{
    uart->fifo_enabled = value & FCR_ENABLE;
    if (value & FCR_CLEAR_RECEIVE) {
        uart->fifo_length = 0;
    }
}

static void write_register(struct uart *uart, unsigned offset, uint8_t value)
{
    bool is_divisor = uart->lcr & LCR_DIVISOR;
    if (is_divisor && offset <= IER) {
        uart->divisor[offset] = value;
        return;
    }
    switch (offset) {
    case RBR_THR:
        transmit(uart, value);
        break;
    case IER:
        uart->sent |= (value & ~uart->ier & IER_TRANSMIT) != 0;    /* the transmitter is empty */
        uart->ier = value & IER_WRITABLE;
        break;
    case IIR_FCR:
        write_control(uart, value);
        break;
    case LCR:
        uart->lcr = value;
        break;
    case MCR:
        uart->mcr = value & MCR_WRITABLE;
        break;
    case SCR:
        uart->scratch = value;
        break;
    default:
        break;
    }
}

/* Registers are bytes; an aligned wider access means the one at its address. */
static bool read_uart(struct phys_device *device, uint64_t offset, unsigned size, uint64_t *value)
{
    struct uart *uart = (struct uart *)device;
    if (!device_is_aligned(offset, size)) {
        return false;
    }
    *value = read_register(uart, (unsigned)offset);
    update_line(uart);
    return true;
}

static bool write_uart(struct phys_device *device, uint64_t offset, unsigned size, uint64_t value)
{
    struct uart *uart = (struct uart *)device;
    if (!device_is_aligned(offset, size)) {
        return false;
    }
    write_register(uart, (unsigned)offset, (uint8_t)value);
    update_line(uart);
    return true;
}

void uart_init(struct uart *uart, struct plic *plic, const struct console *console)
{
    *uart = (struct uart){
        .device = {"uart", UART_BASE, UART_BYTES, read_uart, write_uart, NULL},
        .plic = plic,
        .console = console,
    };
}
