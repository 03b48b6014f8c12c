; Runs copy kernels on an emulated processor that has nothing else: no BIOS, no system. Assembled to a 64 KiB ROM (nasm -f bin).
;
; Reset vector -> long mode with whatever vector state the processor has -> every kernel of the blob, which the emulator has
; put into memory at BLOB (its layout is described in kernels/examples/avx512_blob/blob.rs) -> a line for each on COM1:
;
;       k INDEX CASES FAILURES WHAT N DST SRC           eight hexadecimal digits each; the last four of the first failure
;       done KERNELS
;
; WHAT is 0 where nothing failed, one of the constants below, or 80h + the vector of the exception that ended the kernel.
; "broken VECTOR" is an exception of this program itself, after which it stops.
;
; Cases of a kernel, for each of its lengths:
;   - destination offsets 0..63 (for long copies 16 of them), each with a source at the same offset and one at a scattered offset
;   - source and destination, each in turn the first and the last bytes of its area, whose neighbour pages are not mapped
;
;       not mapped | area of 2 MiB: canary ... canary | n bytes | canary ... canary | not mapped
;
; Checks of a case: returned destination, registers a callee must keep, direction flag, all n bytes, MARGIN bytes of canary on both
; sides (where mapped). After the last case: both whole areas. A kernel that does not return in time is ended by the timer
; of the local APIC, which counts emulated time, so that a busy machine changes nothing.
;
; The checks use general registers only: what is examined does not vouch for itself.

CONTENTS        equ 1           ; a byte of the destination is not the source's
OUTSIDE         equ 2           ; a byte next to the destination changed
RESULT          equ 3           ; not the destination was returned
SAVED           equ 4           ; rbx, rbp or r12 to r15 changed
DIRECTION       equ 5           ; the direction flag is set
ELSEWHERE       equ 6           ; a byte of the source, or of the destination's area far from the destination, changed
FAULT           equ 0x80        ; + vector

TABLES          equ 0x10000     ; page tables
PML4            equ TABLES
PDPT            equ TABLES + 0x1000
DIRECTORY       equ TABLES + 0x2000
STACK           equ 0x90000
BLOB            equ 0x100000
SRC             equ 0x400000
DST             equ 0x800000
FRESH           equ 0xC00000    ; what the source was in the beginning
AREA            equ 0x200000
INNER           equ 0x1000      ; offset in an area for cases that are not at its edge; a multiple of 64
LENGTHY         equ 512         ; bytes from which fewer offsets are tried
CANARY          equ 0xEE
MARGIN          equ 128         ; a multiple of 8
APIC            equ 0xFEE00000
VECTORS         equ 48
TIMER           equ 32          ; vector
PATIENCE        equ 4000000     ; timer ticks a case may take; the longest takes some ten thousand
STAMP           equ 0x5A5AC3C3A5A53C01  ; what the registers to be kept are set to, one more in each
COM1            equ 0x3F8

        absolute 0x20000
inside: resq 1                  ; 1 while a kernel runs
index:  resq 1
entry:  resq 1
lengths:resq 1                  ; the next length
left:   resq 1                  ; how many lengths are left
turn:   resq 1                  ; how many are done
stride: resq 1                  ; from one destination offset to the next
offset: resq 1                  ; of the destination, or number of the edge case
n:      resq 1                  ; the case: length, destination, source, canary bytes before and after
dst:    resq 1
src:    resq 1
before: resq 1
after:  resq 1
cases:  resq 1
failures: resq 1
what:   resq 1                  ; the first failure
at_n:   resq 1
at_dst: resq 1
at_src: resq 1

        section .text
        org 0xF0000
        bits 16
rom:
        cli
        cs lgdt [gdtr - rom]
        mov ax, TABLES >> 4
        mov es, ax
        xor di, di
        xor ax, ax
        mov cx, 0x3000 / 2
        rep stosw
        ; Pages of 2 MiB at their own addresses, and the last GiB below 4 GiB in one piece for the APIC.
        mov dword [es:PML4 - TABLES], PDPT | 3
        mov dword [es:PDPT - TABLES], DIRECTORY | 3
        mov dword [es:PDPT - TABLES + 3 * 8], 0xC0000083
        mov dword [es:DIRECTORY - TABLES], 0x83
%macro  map 1
        mov dword [es:DIRECTORY - TABLES + %1 / AREA * 8], %1 | 0x83
%endmacro
        map SRC
        map DST
        map FRESH
        mov eax, PML4
        mov cr3, eax
        mov eax, cr4
        or eax, 1 << 5 | 1 << 9 | 1 << 10 | 1 << 18     ; PAE, OSFXSR, OSXMMEXCPT, OSXSAVE
        mov cr4, eax
        mov ecx, 0xC0000080                             ; EFER
        rdmsr
        or eax, 1 << 8                                  ; LME
        wrmsr
        mov eax, cr0
        and eax, ~4                                     ; EM
        or eax, 0x80000003                              ; PG, MP, PE
        mov cr0, eax
        jmp dword 0x08:long_mode

        bits 64
long_mode:
        mov ax, 0x10
        mov ds, ax
        mov es, ax
        mov ss, ax
        mov esp, STACK
        lidt [idtr]
        mov qword [inside], 0
        call open_port
        ; All of x87, SSE, AVX and AVX-512 state that there is. Where there is no AVX-512 its instructions are undefined.
        mov eax, 0xD
        xor ecx, ecx
        cpuid
        and eax, 0xE7
        xor edx, edx
        xor ecx, ecx
        xsetbv
        ; No interrupt but the APIC's timer: one shot, one tick a bus cycle.
        mov al, 0xFF
        out 0x21, al
        out 0xA1, al
        mov eax, APIC
        mov dword [rax + 0xF0], 0x100 | VECTORS - 1     ; enabled; the vector of spurious interrupts
        mov dword [rax + 0x3E0], 0xB                    ; divide by 1
        mov dword [rax + 0x320], TIMER
        ; The source, twice: xorshift (13, 7, 17).
        xor ecx, ecx
        mov rax, STAMP
.fill:  mov rdx, rax
        shl rdx, 13
        xor rax, rdx
        mov rdx, rax
        shr rdx, 7
        xor rax, rdx
        mov rdx, rax
        shl rdx, 17
        xor rax, rdx
        mov [FRESH + rcx], rax
        add ecx, 8
        cmp ecx, AREA
        jb .fill
        call restore
        mov qword [index], 0

kernel: mov rax, [index]
        cmp eax, [BLOB]
        je finished
        lea rax, [rax + rax * 2]
        lea rsi, [BLOB + 4 + rax * 4]                   ; code, lengths, number of lengths
        mov eax, [rsi]
        add rax, BLOB
        mov [entry], rax
        mov eax, [rsi + 4]
        add rax, BLOB
        mov [lengths], rax
        mov eax, [rsi + 8]
        mov [left], rax
        xor eax, eax
        mov edi, cases
        mov ecx, 6                                      ; cases to at_src
        rep stosq
        mov [turn], rax

.length:
        cmp qword [left], 0
        je kernel_done
        mov rsi, [lengths]
        mov eax, [rsi]
        mov [n], rax
        mov qword [before], MARGIN
        mov qword [after], MARGIN
        ; Every destination offset; beyond LENGTHY bytes every fourth, so that four lengths have them all.
        mov ecx, 1
        xor edx, edx
        cmp rax, LENGTHY
        jbe .few
        mov ecx, 4
        mov rdx, [turn]
        and edx, 3
.few:   mov [stride], rcx
        mov [offset], rdx
.offset:
        mov rax, [offset]
        lea rcx, [DST + INNER + rax]
        mov [dst], rcx
        lea rcx, [SRC + INNER + rax]
        mov [src], rcx
        call case
        ; Over 64 lengths, every source offset meets every destination offset.
        imul rax, [offset], 5
        imul rcx, [turn], 11
        lea rax, [rax + rcx + 1]
        and eax, 63
        lea rcx, [SRC + INNER + rax]
        mov [src], rcx
        call case
        mov rax, [stride]
        add [offset], rax
        cmp qword [offset], 64
        jb .offset

        mov qword [offset], 0
.edge:  mov edx, MARGIN
        xor ecx, ecx
        test byte [offset], 1
        jz .dst_last
        mov eax, DST
        mov [before], rcx
        mov [after], rdx
        jmp .src
.dst_last:
        mov eax, DST + AREA
        sub rax, [n]
        mov [before], rdx
        mov [after], rcx
.src:   mov [dst], rax
        mov eax, SRC
        test byte [offset], 2
        jnz .src_first
        mov eax, SRC + AREA
        sub rax, [n]
.src_first:
        mov [src], rax
        call case
        inc qword [offset]
        cmp qword [offset], 4
        jb .edge

        add qword [lengths], 4
        inc qword [turn]
        dec qword [left]
        jmp .length

kernel_done:
        cmp qword [failures], 0
        jne .restore
        mov edi, DST
        mov rax, 0x0101010101010101 * CANARY
        mov ecx, AREA / 8
        repe scasq
        jne .elsewhere
        mov esi, SRC
        mov edi, FRESH
        mov ecx, AREA / 8
        repe cmpsq
        je .report
.elsewhere:
        mov eax, ELSEWHERE
        call fail
.restore:
        call restore
.report:
        mov al, 'k'
        call put
        mov rax, [index]
        call put_number
        mov ebx, cases
.field: mov rax, [rbx]
        call put_number
        add ebx, 8
        cmp ebx, at_src + 8
        jb .field
        mov al, 10
        call put
        inc qword [index]
        jmp kernel

; One call of the kernel with n, dst and src, and all checks of it. The destination's area is all canary before and after.
case:   inc qword [cases]
        mov eax, APIC
        mov dword [rax + 0x380], PATIENCE
        mov rdi, [dst]
        mov rsi, [src]
        mov rdx, [n]
        mov rbx, STAMP
        lea rbp, [rbx + 1]
        lea r12, [rbx + 2]
        lea r13, [rbx + 3]
        lea r14, [rbx + 4]
        lea r15, [rbx + 5]
        ; Nothing else is zero by chance.
        mov rax, rbx
        mov rcx, rbx
        mov r8, rbx
        mov r9, rbx
        mov r10, rbx
        mov r11, rbx
        mov qword [inside], 1
        sti
        call [entry]
        cli
        mov qword [inside], 0
        mov r8, rax
        pushfq
        pop rax
        cld
        test ah, 4
        jnz .direction
        cmp r8, [dst]
        jne .result
        mov rcx, STAMP
%macro  kept 1
        cmp %1, rcx
        jne .saved
        inc rcx
%endmacro
        kept rbx
        kept rbp
        kept r12
        kept r13
        kept r14
        kept r15
        mov rdi, [dst]
        mov rsi, [src]
        add rsi, FRESH - SRC
        mov rcx, [n]
        shr rcx, 5
        jz .eights
.four:  mov rax, [rsi]
        xor rax, [rdi]
        mov rdx, [rsi + 8]
        xor rdx, [rdi + 8]
        or rax, rdx
        mov rdx, [rsi + 16]
        xor rdx, [rdi + 16]
        or rax, rdx
        mov rdx, [rsi + 24]
        xor rdx, [rdi + 24]
        or rax, rdx
        jnz .contents
        add rsi, 32
        add rdi, 32
        dec rcx
        jnz .four
.eights:
        mov ecx, [n]
        and ecx, 31
        shr ecx, 3
        jz .bytes
        lea rsi, [rsi + rcx * 8]
        lea rdi, [rdi + rcx * 8]
        neg rcx
.eight: mov rax, [rsi + rcx * 8]
        cmp rax, [rdi + rcx * 8]
        jne .contents
        inc rcx
        jnz .eight
.bytes: mov ecx, [n]
        and ecx, 7
        jz .sides
.byte:  mov al, [rsi + rcx - 1]
        cmp al, [rdi + rcx - 1]
        jne .contents
        dec ecx
        jnz .byte
.sides: mov rdi, [dst]
        mov rcx, [before]
        sub rdi, rcx
        call canaries
        jne .outside
        mov rdi, [dst]
        add rdi, [n]
        mov rcx, [after]
        call canaries
        jne .outside
.clear: mov rdi, [dst]
        mov rcx, [before]
        sub rdi, rcx
        add rcx, [n]
        add rcx, [after]
        mov al, CANARY
        rep stosb
        ret
.contents:
        mov eax, CONTENTS
        jmp .failed
.outside:
        mov eax, OUTSIDE
        jmp .failed
.result:
        mov eax, RESULT
        jmp .failed
.saved: mov eax, SAVED
        jmp .failed
.direction:
        mov eax, DIRECTION
.failed:
        call fail
        jmp .clear

; Whether all rcx bytes from rdi on (a multiple of 8) are canaries: "equal".
canaries:
        mov rax, 0x0101010101010101 * CANARY
        add rdi, rcx
        neg rcx
        jz .end
.eight: cmp rax, [rdi + rcx]
        jne .end
        add rcx, 8
        jnz .eight
.end:   ret

; Counts a failure; the first one is kept.
fail:   inc qword [failures]
        cmp qword [what], 0
        jne .end
        mov [what], rax
        mov rax, [n]
        mov [at_n], rax
        mov rax, [dst]
        mov [at_dst], rax
        mov rax, [src]
        mov [at_src], rax
.end:   ret

; Both areas as they were in the beginning.
restore:
        mov esi, FRESH
        mov edi, SRC
        mov ecx, AREA / 8
        rep movsq
        mov edi, DST
        mov rax, 0x0101010101010101 * CANARY
        mov ecx, AREA / 8
        rep stosq
        ret

; Every exception and the timer come here, with the vector on top of the stack. The kernel is over.
fault:  pop rax
        mov esp, STACK
        cld
        cmp qword [inside], 1
        jne broken
        mov qword [inside], 0
        mov ecx, APIC
        mov dword [rcx + 0xB0], 0                       ; end of interrupt; nothing if there was none
        add eax, FAULT
        call fail
        jmp kernel_done

broken: mov rbx, rax
        mov esi, broken_text
        call put_text
        mov rax, rbx
        jmp last_line

finished:
        mov esi, done_text
        call put_text
        mov rax, [index]
last_line:
        call put_number
        mov al, 10
        call put
        mov dx, COM1 + 5
.sent:  in al, dx
        test al, 0x40                                   ; all is out
        jz .sent
        ; The emulator's own port: this word ends it.
        mov esi, shutdown
        mov dx, 0x8900
        mov ecx, 8
        rep outsb
.hang:  hlt
        jmp .hang

; COM1 at 115200 baud, 8 data bits, no interrupts.
open_port:
        mov ebx, .writes
.next:  movzx edx, word [rbx]
        mov al, [rbx + 2]
        out dx, al
        add ebx, 3
        cmp ebx, .end
        jb .next
        ret
%macro  write 2
        dw COM1 + %1
        db %2
%endmacro
.writes:
        write 3, 0x83                                   ; the divisor is next
        write 0, 1
        write 1, 0
        write 3, 3
        write 1, 0
.end:

put:    mov ah, al
        mov dx, COM1 + 5
.wait:  in al, dx
        test al, 0x20                                   ; there is room
        jz .wait
        mov al, ah
        mov dx, COM1
        out dx, al
        ret

put_text:
        lodsb
        test al, al
        jz .end
        call put
        jmp put_text
.end:   ret

; A space and the low half of rax. rbx is kept.
put_number:
        mov r8d, eax
        mov al, ' '
        call put
        mov ecx, 8
.digit: rol r8d, 4
        mov eax, r8d
        and eax, 15
        mov al, [digits + rax]
        call put
        dec ecx
        jnz .digit
        ret

digits: db "0123456789abcdef"
done_text: db "done", 0
broken_text: db "broken", 0
shutdown: db "Shutdown"

        ; One stub for each vector. Those with an error code leave it below the vector, where nobody looks.
        align 8
stubs:
%assign vector 0
%rep VECTORS
        push vector
        jmp near fault
        align 8
%assign vector vector + 1
%endrep

        align 8
idt:
%assign vector 0
%rep VECTORS
        dw stubs - rom + vector * 8, 0x08
        db 0, 0x8E                                      ; interrupt gate
        dw rom_high
        dd 0, 0
%assign vector vector + 1
%endrep
idtr:   dw VECTORS * 16 - 1
        dq idt
rom_high equ 0xF

gdt:    dq 0
        dq 0x00AF9B000000FFFF                           ; code, 64-bit
        dq 0x00CF93000000FFFF                           ; data
gdtr:   dw 23
        dd gdt

        times 0xFFF0 - ($ - $$) db 0xF4
        bits 16
        jmp 0xF000:0x0000
        times 0x10000 - ($ - $$) db 0
