//! Assembled kernels as machine code: do they run anywhere, from many threads, in either convention,
//! leave what is not theirs alone, and give their memory back? And what if there is none?

use std::env;
use std::process::Command;
use std::thread;

use aria_gen::jit::{ALIGNMENT, Assembly, Convention, assemble};
use aria_gen::kernel::matrix::{cells, recipe, select};
use aria_gen::kernel::{Frame, KernelId, Layout};
use aria_gen::pipeline::build_kernel;
use aria_runtime::cipher::KeyInit;
use aria_runtime::jit::{Fallback, Jit};
use aria_runtime::{Aria128, Feature, FeatureSet, Token};
use aria_tests::oracle;
use aria_tests::report::tell;
use aria_tests::seed::Random;
use dynasmrt::mmap::{ExecutableBuffer, MutableBuffer};

type SystemV = unsafe extern "sysv64" fn(*const u8, usize, *const u8, *mut u8, usize);
type Win64 = unsafe extern "win64" fn(*const u8, usize, *const u8, *mut u8, usize);

/// The legal ECB cells on vectors that this CPU runs, assembled.
fn assembled(convention: Convention) -> Vec<Assembly> {
    let here = Token::detect().features();
    let runs = |id: KernelId| {
        let built = build_kernel(id).expect("a legal cell");
        let needed = built.facts().expect("a legal cell").features;
        let known = |name| Feature::ALL.iter().copied().find(|feature| feature.name() == name);
        let needed: Option<FeatureSet> = needed.iter().map(|f| known(f.name())).collect();
        needed?.is_subset(here).then(|| assemble(&built, convention).expect("a legal cell"))
    };
    let vectors = |id: &KernelId| recipe(*id).is_ok_and(|recipe| recipe.layout != Layout::Bits);
    cells().filter(|id| id.frame == Frame::Ecb).filter(vectors).filter_map(runs).collect()
}

/// Code in executable memory, at a distance from the beginning of a page.
fn executable(code: &Assembly, distance: usize) -> (ExecutableBuffer, *const u8) {
    let length = distance + code.bytes.len();
    let mut memory = MutableBuffer::new(length).expect("memory");
    memory.set_len(length);
    memory[distance..].copy_from_slice(&code.bytes);
    let memory = memory.make_exec().expect("executable memory");
    let entry = memory[distance + code.entry..].as_ptr();
    (memory, entry)
}

/// Round keys in the form of a cell, at any values: kernels are compared with each other.
fn round_keys(random: &mut Random, id: KernelId) -> Vec<u8> {
    let raw: Vec<[u8; 16]> = random.blocks(13);
    recipe(id).expect("a legal cell").key_form.expand(&raw).concat()
}

/// What a System V function makes of blocks.
fn run(entry: *const u8, keys: &[u8], plain: &[[u8; 16]], batch: usize) -> Vec<[u8; 16]> {
    let mut output = vec![[0; 16]; plain.len()];
    // SAFETY: at `entry` is an assembled function of this type, in memory that the caller keeps.
    let function = unsafe { std::mem::transmute::<*const u8, SystemV>(entry) };
    let (input, batches) = (plain.as_ptr().cast(), plain.len() / batch);
    // SAFETY: there are 13 round keys, and input and output have so many batches.
    unsafe { function(keys.as_ptr(), 13, input, output.as_mut_ptr().cast(), batches) };
    output
}

/// The same of a function in the other convention, called with known values in the registers that
/// survive, which must be there afterwards.
fn run_win64(entry: *const u8, keys: &[u8], plain: &[[u8; 16]], batch: usize) -> Vec<[u8; 16]> {
    let mut output = vec![[0; 16]; plain.len()];
    let (input, batches) = (plain.as_ptr(), plain.len() / batch);
    let canaries: [u128; 10] = core::array::from_fn(|i| 0x0123_4567_89ab_cdef << i);
    let mut after = [0_u128; 10];
    let (mut rdi, mut rsi) = (0x5555_u64, 0xaaaa_u64);
    // SAFETY: the function has these arguments: four in registers, the fifth above their shadow
    // space; xmm6 to xmm15, rdi and rsi survive it, and all else that may change is declared so. The
    // stack pointer is a multiple of 16 at the call and comes back.
    unsafe {
        std::arch::asm!(
            "mov r12, rsp",
            "sub rsp, 64",
            "and rsp, -64",
            "mov [rsp + 32], r14",
            "movdqu xmm6, [r13]", "movdqu xmm7, [r13 + 16]", "movdqu xmm8, [r13 + 32]",
            "movdqu xmm9, [r13 + 48]", "movdqu xmm10, [r13 + 64]", "movdqu xmm11, [r13 + 80]",
            "movdqu xmm12, [r13 + 96]", "movdqu xmm13, [r13 + 112]", "movdqu xmm14, [r13 + 128]",
            "movdqu xmm15, [r13 + 144]",
            "call rax",
            "mov rsp, r12",
            "movdqu [r15], xmm6", "movdqu [r15 + 16], xmm7", "movdqu [r15 + 32], xmm8",
            "movdqu [r15 + 48], xmm9", "movdqu [r15 + 64], xmm10", "movdqu [r15 + 80], xmm11",
            "movdqu [r15 + 96], xmm12", "movdqu [r15 + 112], xmm13", "movdqu [r15 + 128], xmm14",
            "movdqu [r15 + 144], xmm15",
            inout("rax") entry => _,
            inout("rcx") keys.as_ptr() => _,
            inout("rdx") 13_usize => _,
            inout("r8") input => _,
            inout("r9") output.as_mut_ptr() => _,
            out("r10") _, out("r11") _, out("r12") _,
            in("r13") canaries.as_ptr(),
            in("r14") batches,
            in("r15") after.as_mut_ptr(),
            inout("rdi") rdi, inout("rsi") rsi,
            clobber_abi("sysv64"),
        );
    }
    assert_eq!(after, canaries, "xmm6 to xmm15 survive");
    assert_eq!((rdi, rsi), (0x5555, 0xaaaa), "rdi and rsi survive");
    output
}

#[test]
fn both_conventions_and_any_address() {
    let mut random = Random::new();
    let (system_v, win64) = (assembled(Convention::SystemV), assembled(Convention::Win64));
    assert!(!system_v.is_empty() || cfg!(miri));
    for (ours, theirs) in system_v.iter().zip(&win64) {
        let id = ours.id;
        assert_eq!(id, theirs.id);
        let keys = round_keys(&mut random, id);
        let plain = random.blocks(3 * id.blocks);
        let (here, there) = (executable(ours, 0), executable(ours, 3 * 4096 + 5 * ALIGNMENT));
        let expected = run(here.1, &keys, &plain, id.blocks);
        assert!(expected != plain, "{id}");
        assert!(run(there.1, &keys, &plain, id.blocks) == expected, "{id} at another address");
        let windows = executable(theirs, 0);
        assert!(run_win64(windows.1, &keys, &plain, id.blocks) == expected, "{id} in Win64");
        // Through the compiler's own idea of that convention.
        let mut output = vec![[0; 16]; plain.len()];
        // SAFETY: at the entry is an assembled function of this type.
        let function = unsafe { std::mem::transmute::<*const u8, Win64>(windows.1) };
        // SAFETY: there are 13 round keys, and three batches of input and output.
        unsafe {
            function(keys.as_ptr(), 13, plain.as_ptr().cast(), output.as_mut_ptr().cast(), 3);
        }
        assert!(output == expected, "{id} through extern \"win64\"");
    }
    tell("jit", &format!("{} cells in both conventions", system_v.len()));
}

#[test]
fn many_threads() {
    let mut random = Random::new();
    let (key, plain) = (random.bytes(16), random.blocks(300));
    let encrypted = oracle::encrypt(&key, &plain);
    let jit = Jit::new(Token::detect());
    let key: [u8; 16] = key.try_into().expect("16 bytes");
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let cipher = Aria128::new(&key.into());
                for id in aria_gen::kernel::matrix::ROWS.iter().filter(|id| id.frame == Frame::Ecb)
                {
                    let kernel = jit.kernel(&id.to_string()).expect("a row");
                    let mut blocks = plain.clone();
                    cipher.encrypt_bulk_by(&kernel, &mut blocks);
                    assert!(blocks == encrypted, "{id}");
                }
            });
        }
    });
}

/// Mappings of this process.
fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").map_or(0, |maps| maps.lines().count())
}

fn cycles(count: usize) {
    let id = "aria_sse_gfni_xmm_blk1";
    let built = build_kernel(select(id).expect("a row")).expect("a row");
    let code = assemble(&built, Convention::NATIVE).expect("a row");
    let mut before = 0;
    for number in 0..count {
        if number == count / 10 {
            before = mappings();
        }
        let (memory, _) = executable(&code, 0);
        assert_eq!(memory.len(), code.bytes.len());
    }
    // Other tests map memory at the same time, but not in proportion.
    let after = mappings();
    assert!(after < before + count / 10, "{before} mappings became {after}");
}

#[test]
fn memory_is_returned() {
    cycles(3000);
    // The runtime's own way, assembling anew each time.
    let before = mappings();
    for _ in 0..200 {
        let jit = Jit::new(Token::detect());
        let kernel = jit.kernel("aria_sse_aesni_xmm_blk1").expect("a row");
        drop(jit);
        assert!(kernel.bytes().is_some() || kernel.fallback().is_some());
    }
    assert!(mappings() < before + 100);
}

#[test]
#[ignore = "takes a minute"]
fn memory_is_returned_a_hundred_thousand_times() {
    cycles(100_000);
}

/// Set in the child process in which executable memory is refused.
const REFUSED: &str = "ARIA_TEST_REFUSED";

#[test]
#[cfg(target_os = "linux")]
fn refused_memory_falls_back() {
    if env::var_os(REFUSED).is_none() {
        let mut child = Command::new(env::current_exe().expect("this test"));
        child.args(["--exact", "refused_memory_falls_back", "--nocapture"]).env(REFUSED, "1");
        let output = child.output().expect("the test runs again");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains("1 passed"), "{text}");
        return;
    }
    let mut random = Random::new();
    let (key, plain) = (random.bytes(16), random.blocks(100));
    let encrypted = oracle::encrypt(&key, &plain);
    let key: [u8; 16] = key.try_into().expect("16 bytes");
    let cipher = Aria128::new(&key.into());
    refuse_executable_memory();
    let jit = Jit::new(Token::detect());
    let kernel = jit.kernel("aria_sse_gfni_xmm_blk16").expect("a row");
    match kernel.fallback() {
        Some(Fallback::Memory(error)) => {
            assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied);
        }
        Some(Fallback::Features { .. }) => tell("jit", "GFNI is not here to be refused memory"),
        other => panic!("memory was not refused: {other:?}"),
    }
    let mut blocks = plain.clone();
    cipher.encrypt_bulk_by(&kernel, &mut blocks);
    assert!(blocks == encrypted);
}

/// From now on, in this process, mprotect with PROT_EXEC fails with EACCES.
#[cfg(target_os = "linux")]
fn refuse_executable_memory() {
    let statement = |code: u32, jt, jf, k| libc::sock_filter {
        code: u16::try_from(code).expect("a code of a filter"),
        jt,
        jf,
        k,
    };
    let load = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let number = u32::try_from(libc::SYS_mprotect).expect("a number of a call");
    let protection = libc::PROT_EXEC.cast_unsigned();
    let answer = libc::BPF_RET | libc::BPF_K;
    // Offsets in struct seccomp_data: the call's number at 0, its third argument at 16 + 2 * 8.
    let mut filter = [
        statement(load, 0, 0, 0),
        statement(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 3, number),
        statement(load, 0, 0, 32),
        statement(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, 0, 1, protection),
        statement(answer, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EACCES.cast_unsigned()),
        statement(answer, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let length = u16::try_from(filter.len()).expect("a short filter");
    let program = libc::sock_fprog { len: length, filter: filter.as_mut_ptr() };
    // SAFETY: the calls take these arguments, and the program lives as long as the second call.
    let (first, second) = unsafe {
        (
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0),
            libc::syscall(
                libc::SYS_seccomp,
                libc::SECCOMP_SET_MODE_FILTER,
                libc::SECCOMP_FILTER_FLAG_TSYNC,
                &raw const program,
            ),
        )
    };
    assert_eq!((first, second), (0, 0), "the filter is installed");
}
