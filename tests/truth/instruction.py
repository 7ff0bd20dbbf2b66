"""The effects of an instruction word on control and memory, from the manual's encodings alone
(RV64GC and RV32IMAC).

`kind` is one of CALL, RETURN, JUMP, BRANCH, XRET, LOAD, STORE, ATOMIC (AMO), LR, SC, OTHER. The calling convention's hints (unprivileged manual, table of return-address-stack hints)
say what is a call: JAL or JALR that writes x1 or x5; and what is a return: JALR through x1 or x5
that writes neither.
"""
OTHER, CALL, RETURN, JUMP, BRANCH, XRET, LOAD, STORE, ATOMIC, LR, SC = range(11)
LINKS = (1, 5)


class Instruction:
    __slots__ = ("pc", "length", "next", "kind", "target", "rs1", "bytes", "offset", "routine",
                 "is_amo", "is_transfer", "is_indirect", "is_plain")

    def __init__(self, pc, word, xlen):
        self.pc, self.target, self.rs1, self.bytes, self.offset = pc, None, 0, 0, 0
        self.kind, self.is_amo, self.routine = OTHER, False, None
        self.length = 4 if word & 3 == 3 else 2
        if self.length == 4:
            self._long(word)
        else:
            self._short(word, xlen)
        self.next = pc + self.length
        self.is_transfer = self.kind in (CALL, RETURN, JUMP, BRANCH, XRET)
        self.is_indirect = self.is_transfer and self.target is None and self.kind != XRET
        self.is_plain = not self.is_transfer and word & 127 != 0x73

    def _jump(self, rd, rs1):
        self.rs1 = rs1
        self.kind = CALL if rd in LINKS else RETURN if rs1 in LINKS else JUMP

    def _long(self, word):
        opcode, rd, funct3, rs1 = word & 127, word >> 7 & 31, word >> 12 & 7, word >> 15 & 31
        if opcode == 0x63:
            self.kind = BRANCH
            self.target = self.pc + signed((word >> 31) << 12 | (word >> 7 & 1) << 11 |
                                           (word >> 25 & 63) << 5 | (word >> 8 & 15) << 1, 13)
        elif opcode == 0x6f:
            self._jump(rd, 0)
            self.target = self.pc + signed((word >> 31) << 20 | (word >> 12 & 255) << 12 |
                                           (word >> 20 & 1) << 11 | (word >> 21 & 1023) << 1, 21)
        elif opcode == 0x67:
            self._jump(rd, rs1)
            self.offset = signed(word >> 20, 12)
        elif opcode in (0x03, 0x07):
            self.kind, self.bytes = LOAD, 1 << (funct3 & 3)
        elif opcode in (0x23, 0x27):
            self.kind, self.bytes = STORE, 1 << (funct3 & 3)
        elif opcode == 0x2f:
            self.kind = {2: LR, 3: SC}.get(word >> 27, ATOMIC)
            self.bytes, self.rs1, self.is_amo = 1 << funct3, rs1, True
        elif opcode == 0x73:
            self.kind = XRET if word in (0x30200073, 0x10200073) else OTHER

    def _short(self, word, xlen):
        quarter, funct3, rs1 = word & 3, word >> 13, word >> 7 & 31
        if xlen == 32 and quarter == 1 and funct3 == 1:
            self.kind, self.target = CALL, self.pc + self._short_jump(word)
        elif quarter == 1 and funct3 == 5:
            self.kind, self.target = JUMP, self.pc + self._short_jump(word)
        elif quarter == 1 and funct3 >= 6:
            self.kind = BRANCH
            self.target = self.pc + signed(
                (word >> 12 & 1) << 8 | (word >> 5 & 3) << 6 | (word >> 2 & 1) << 5 |
                (word >> 10 & 3) << 3 | (word >> 3 & 3) << 1, 9)
        elif quarter == 2 and funct3 == 4 and word >> 2 & 31 == 0:
            if rs1:
                self._jump(word >> 12 & 1, rs1)
        elif quarter != 1 and funct3 in (1, 2, 3):
            self.kind, self.bytes = LOAD, 4 if funct3 == 2 else 8
        elif quarter != 1 and funct3 in (5, 6, 7):
            self.kind, self.bytes = STORE, 4 if funct3 == 6 else 8

    @staticmethod
    def _short_jump(word):
        return signed((word >> 12 & 1) << 11 | (word >> 8 & 1) << 10 | (word >> 9 & 3) << 8 |
                      (word >> 6 & 1) << 7 | (word >> 7 & 1) << 6 | (word >> 2 & 1) << 5 |
                      (word >> 11 & 1) << 4 | (word >> 3 & 7) << 1, 12)


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) & 1 else value
