import CSystemd
import Glibc

/// Pages of programs and libraries that only the start has touched.
package enum StartupMemory {
  /// Lets them go: what is still used comes back from the page cache at the next touch. A third of what is resident after
  /// the start, most of it initialization of libraries that libcurl links, is never used again.
  package static func release() {
    let pageSize = UInt(sysconf(Int32(_SC_PAGESIZE)))
    var size = pageSize
    unsafe withUnsafeMutablePointer(to: &size) { size in
      _ = unsafe dl_iterate_phdr(
        { object, _, size in
          guard let object = unsafe object?.pointee, let size = unsafe size?.assumingMemoryBound(to: UInt.self) else {
            return 0
          }
          for number in 0..<Int(unsafe object.dlpi_phnum) {
            unsafe StartupMemory.release(object.dlpi_phdr[number], of: UInt(object.dlpi_addr), pageSize: size.pointee)
          }
          return 0
        }, size)
    }
  }

  /// A segment that nobody can have written to is the same in its file.
  private static func release(_ segment: Elf64_Phdr, of base: UInt, pageSize: UInt) {
    guard segment.p_type == PT_LOAD, segment.p_flags & UInt32(PF_W) == 0 else { return }
    let start = (base + UInt(segment.p_vaddr)) / pageSize * pageSize
    let end = base + UInt(segment.p_vaddr) + UInt(segment.p_memsz)
    unsafe madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED)
  }
}
