# Calls PowerPC copy kernels in a program that has nothing else: no C library, no Rust. Assembled with the list of cases behind it, for
# 32 bits or, with the symbol WIDE, for 64; with FLOATS and VECTORS it looks at those registers too.
#
#	cases:	entry, destination, source, length	a case, each a pointer wide; an entry of zero ends the list
#
#	guard | area of one page: 0xEE ... | n bytes | 0xEE ... | guard		and the same for the source
#
# Before each case its number goes to the standard output, four bytes, and after it the outcome, four bytes: zero or one of those below.
# So a case that kills the program is the one whose outcome is missing.

	.set	CONTENTS, 1	# a byte of the destination is not the source's
	.set	OUTSIDE, 2	# another byte of the destination's area changed
	.set	RESULT, 3	# not the destination was returned
	.set	PRESERVED, 4	# r1, r2, r13 to r31, condition fields 2 to 4, f14 to f31, v20 to v31 or VRSAVE changed
	.set	SOURCE, 5	# a byte of the source's area changed
	.set	AREA, 4096
	.set	STAMP, 0x5a00

	.ifdef	WIDE
	.abiversion 2
	.set	W, 8
	.macro	get to, at, from
	ld	\to, \at(\from)
	.endm
	.macro	put what, at, to
	std	\what, \at(\to)
	.endm
	.macro	compare left, right
	cmpld	\left, \right
	.endm
	.macro	is_stamp reg, value
	cmpdi	\reg, \value
	.endm
	.else
	.set	W, 4
	.macro	get to, at, from
	lwz	\to, \at(\from)
	.endm
	.macro	put what, at, to
	stw	\what, \at(\to)
	.endm
	.macro	compare left, right
	cmplw	\left, \right
	.endm
	.macro	is_stamp reg, value
	cmpwi	\reg, \value
	.endm
	.endif

	.macro	address to, symbol
	lis	\to, \symbol@ha
	addi	\to, \to, \symbol@l
	.endm
	.macro	preserved what:vararg
	.irp	number, 2,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\what	\number
	.endr
	.endm
	.macro	stamp number
	li	\number, STAMP + \number
	.endm
	.macro	look number
	is_stamp \number, STAMP + \number
	bne	changed
	.endm
	# The next word of the source's content, made from the last.
	.macro	scramble reg, spare
	slwi	\spare, \reg, 13
	xor	\reg, \reg, \spare
	srwi	\spare, \reg, 17
	xor	\reg, \reg, \spare
	slwi	\spare, \reg, 5
	xor	\reg, \reg, \spare
	rlwinm	\reg, \reg, 0, 0, 31
	.endm

	# What a callee must leave as it was, beside integers: registers of 8 bytes from f14 on, of 16 from v20 on.
	.macro	floats what:vararg
	.irp	number, 14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	\what	\number
	.endr
	.endm
	.macro	vectors what:vararg
	.irp	number, 20,21,22,23,24,25,26,27,28,29,30,31
	\what	\number
	.endr
	.endm
	.macro	float_in number
	lfd	\number, 8 * (\number - 14)(11)
	.endm
	.macro	float_out number
	stfd	\number, 8 * (\number - 14)(4)
	.endm
	.macro	vector_in number
	li	12, 16 * (\number - 20)
	lvx	\number, 11, 12
	.endm
	.macro	vector_out number
	li	12, 16 * (\number - 20)
	stvx	\number, 4, 12
	.endm
	# Words that were stored, against the stamps.
	.macro	look_at words
	address	5, stamps
	li	6, \words
	mtctr	6
1:	lwz	7, 0(4)
	lwz	8, 0(5)
	cmplw	7, 8
	bne	changed
	addi	4, 4, 4
	addi	5, 5, 4
	bdnz	1b
	.endm

	.text
	.globl	_start
_start:
	.irp	guard, guard0, guard1, guard2
	address	3, \guard
	li	4, 4096			# bytes
	li	5, 0			# no access
	li	0, 125			# mprotect
	sc
	bns	1f
	li	3, 2
	li	0, 1			# exit
	sc
1:
	.endr
	address	30, cases
	li	29, 0
next:	get	0, 0, 30
	cmpwi	0, 0
	beq	all_done
	mr	3, 29
	bl	tell
	addi	29, 29, 1

	address	4, source
	li	5, AREA / 4
	mtctr	5
	mr	6, 29
1:	scramble 6, 7
	stw	6, 0(4)
	addi	4, 4, 4
	bdnz	1b
	address	4, destination
	mtctr	5
	lis	6, 0xeeee - 0x10000
	ori	6, 6, 0xeeee
1:	stw	6, 0(4)
	addi	4, 4, 4
	bdnz	1b

	address	11, stamps
	.ifdef	FLOATS
	floats	float_in
	.endif
	.ifdef	VECTORS
	vectors	vector_in
	li	12, STAMP
	mtspr	256, 12			# VRSAVE
	.endif
	address	11, kept
	put	30, 0, 11
	put	29, W, 11
	put	1, 2 * W, 11
	mr	11, 30
	preserved stamp
	lis	0, 0x1234
	ori	0, 0, 0x5678
	mtcrf	255, 0
	get	12, 0, 11
	get	3, W, 11
	get	4, 2 * W, 11
	get	5, 3 * W, 11
	mtctr	12
	bctrl

	mfcr	8
	address	11, kept
	get	0, 2 * W, 11
	compare	1, 0
	bne	changed
	preserved look
	rlwinm	8, 8, 0, 8, 19		# fields 2 to 4
	lis	0, 0x0034
	ori	0, 0, 0x5000
	cmplw	8, 0
	bne	changed
	get	30, 0, 11
	get	29, W, 11
	.ifdef	FLOATS
	address	4, found
	floats	float_out
	look_at	36
	.endif
	.ifdef	VECTORS
	address	4, found
	vectors	vector_out
	look_at	48
	mfspr	7, 256			# VRSAVE
	cmpwi	7, STAMP
	bne	changed
	.endif

	get	6, W, 30		# destination
	compare	3, 6
	li	3, RESULT
	bne	told
	get	7, 3 * W, 30
	add	7, 7, 6			# its end
	get	10, 2 * W, 30
	subf	10, 6, 10		# from a destination byte to its source byte
	address	4, destination
	li	5, AREA
	mtctr	5
1:	lbz	9, 0(4)
	compare	4, 6
	blt	2f
	compare	4, 7
	bge	2f
	lbzx	8, 4, 10
	cmpw	8, 9
	li	3, CONTENTS
	bne	told
	b	3f
2:	cmpwi	9, 0xee
	li	3, OUTSIDE
	bne	told
3:	addi	4, 4, 1
	bdnz	1b

	address	4, source
	li	5, AREA / 4
	mtctr	5
	mr	6, 29
1:	scramble 6, 7
	lwz	8, 0(4)
	cmplw	8, 6
	li	3, SOURCE
	bne	told
	addi	4, 4, 4
	bdnz	1b
	li	3, 0
told:	bl	tell
	addi	30, 30, 4 * W
	b	next

changed:
	address	11, kept
	get	30, 0, 11
	get	29, W, 11
	get	1, 2 * W, 11
	li	3, PRESERVED
	b	told

all_done:
	li	3, 0
	li	0, 1			# exit
	sc

# Writes the word in r3.
tell:	address	4, word
	stw	3, 0(4)
	li	3, 1
	li	5, 4
	li	0, 4			# write
	sc
	blr

	.section .rodata
	.balign	16
stamps:
	.set	next_stamp, 0x5a010203
	.rept	48
	.long	next_stamp
	.set	next_stamp, next_stamp + 0x01010101
	.endr

	.bss
	.balign	4096
guard0:	.space	4096
source:	.space	AREA
guard1:	.space	4096
destination:
	.space	AREA
guard2:	.space	4096
kept:	.space	3 * W
word:	.space	4
	.balign	16
found:	.space	192
