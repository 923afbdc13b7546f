package org.roce4j.conformance.dialogue;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.HashSet;
import java.util.Set;

/**
 * Ends mutants that loop, without a clock: every jump backwards is counted, and a test with far
 * more jumps than any test needs fails. Therefore a loaded machine kills no mutant, and a mutant
 * that loops does not cost the process, which PIT would have to start again.
 */
public final class CountedLoops implements ClassFileTransformer {
  private static final ClassDesc SELF = CountedLoops.class.describeConstable().orElseThrow();

  /** Without a limit until the first test: PIT looks for tests in the same process. */
  private static long jumpsLeft = Long.MAX_VALUE;

  /** A test begins that needs fewer than {@code most} jumps backwards. */
  static void allow(long most) {
    jumpsLeft = most;
  }

  /** Called before every jump backwards. */
  public static void jump() {
    if (--jumpsLeft < 0) {
      throw new AssertionError("the test does not end");
    }
  }

  @Override
  public byte[] transform(
      ClassLoader loader, String name, Class<?> type, ProtectionDomain domain, byte[] bytes) {
    if (name == null || !name.startsWith("org/roce4j/") || name.endsWith("/CountedLoops")) {
      return null;
    }
    ClassFile file =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(loader)
                    .orElse(ClassHierarchyResolver.defaultResolver())));
    return file.transformClass(
        file.parse(bytes),
        ClassTransform.transformingMethodBodies(CodeTransform.ofStateful(Counting::new)));
  }

  private static final class Counting implements CodeTransform {
    private final Set<Label> passed = new HashSet<>();

    @Override
    public void accept(CodeBuilder code, CodeElement element) {
      if (element instanceof LabelTarget target) {
        passed.add(target.label());
      } else if (element instanceof BranchInstruction jump && passed.contains(jump.target())) {
        code.invokestatic(SELF, "jump", ConstantDescs.MTD_void);
      }
      code.with(element);
    }
  }
}
